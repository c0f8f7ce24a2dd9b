// A page from a disk may not read other pages, so a search there shows titles alone, without excerpts.
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
