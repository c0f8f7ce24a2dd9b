"""Fields that products are transformed back to, so that as little as possible travels and is kept.

The pressure ∇⁻² ∂_i ∂_j (u_i u_j), for example, is a linear form of products. If each of its products is
needed nowhere else, one field is kept, the sum of their derivatives: the core sums products on their way back
(`core/programs/program.hpp`). The multiplier that all terms have in common acts on this field.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from whorl import _core
from whorl.expressions.graph import Field
from whorl.expressions.linear import LinearForm, Multiplier, Term

Derivatives = tuple[int, int, int]
HIGHEST = 2  # order of a derivative along an axis that the core applies on the way back


@dataclass(frozen=True, eq=False)
class ProductField:
    """A field with Fourier coefficients that is a sum of products.

    Attributes
    ----------
    parts : tuple of (Field, float, Derivatives)
        Its products, each with a factor and the orders of its derivatives along x, y and z.
    """

    parts: tuple[tuple[Field, float, Derivatives], ...]
    horizontal = ()

    force: ClassVar[None] = None
    product: ClassVar[None] = None
    """None: a `Field` may belong to a force or be a product, this never does."""

    @property
    def serial(self) -> int:
        """The serial of its first product, which belongs to no other field."""
        return self.parts[0][0].serial


@dataclass
class ProductFields:
    """The fields that products are transformed back to, and all linear forms in terms of these fields.

    Attributes
    ----------
    fields : list of ProductField
        The fields.
    forces : list of str
        The fields whose forces the forms need, in order.
    numbers : dict
        The numbers by which the core knows the state, the forces and the fields of products.
    """

    fields: list[ProductField] = field(default_factory=list)
    forces: list[str] = field(default_factory=list)
    numbers: dict[Any, int] = field(default_factory=dict)
    _of: dict[Field, ProductField] = field(default_factory=dict)
    _forms: dict[LinearForm, LinearForm] = field(default_factory=dict)

    @classmethod
    def of(
        cls, forms: Iterable[LinearForm], levels: Mapping[Field, int], others: Sequence[Field]
    ) -> "ProductFields":
        """The fields for some forms; `levels` has the number of the round trip of each product.

        `others` has the components of the state, then those of forces.
        """
        sums = dict.fromkeys(parts for form in forms for *_, parts in _groups(form))
        uses = Counter(product for parts in sums for product in {one for one, *_ in parts})
        all_of = cls()
        for parts in sums:
            products = [product for product, *_ in parts]
            alone = all(uses[one] == 1 for one in products) and len(set(products)) == len(products)
            together = len({levels[one] for one in products}) == 1
            low = all(order <= HIGHEST for *_, orders in parts for order in orders)
            if alone and together and low:
                all_of._add(ProductField(parts))
        for product in levels:
            if product not in all_of._of:
                all_of._add(ProductField(((product, 1.0, (0, 0, 0)),)))
        all_of.fields.sort(key=lambda one: one.serial)
        used = {term.field for form in forms for term in form}
        all_of.forces = list(dict.fromkeys(one.force for one in others if one.force and one in used))
        in_core: list[Any] = [one for one in others if one.of_state]
        in_core += [one for force in all_of.forces for one in others if one.force == force]
        in_core += sorted(all_of.fields, key=lambda one: levels[one.parts[0][0]])
        all_of.numbers = {one: number for number, one in enumerate(in_core)}
        return all_of

    def _add(self, product_field: ProductField) -> None:
        self.fields.append(product_field)
        self._of |= dict.fromkeys((product for product, *_ in product_field.parts), product_field)

    def form(self, form: LinearForm) -> LinearForm:
        """The linear form in terms of the fields; each form is rewritten once."""
        if form not in self._forms:
            self._forms[form] = self._worked_out(form)
        return self._forms[form]

    def terms(self, form: LinearForm) -> list[_core.Term]:
        """The terms of a form for the core."""
        terms = []
        for term, factor in self.form(form).items():
            of = term.multiplier
            axis, low, high = of.sector
            terms.append(
                _core.Term(
                    field=self.numbers[term.field],
                    factor=factor,
                    derivatives=of.derivatives,
                    power=of.power,
                    low=of.low,
                    high=of.high,
                    radius=of.radius,
                    sector=_core.Sector(axis=axis, low=low, high=high),
                )
            )
        return terms

    def _worked_out(self, form: LinearForm) -> LinearForm:
        if not any(term.field.product for term in form):
            return form
        found = {term: factor for term, factor in form.items() if not term.field.product}
        for multiplier, factor, parts in _groups(form):
            for product, of_product, derivatives in parts:
                product_field = self._of[product]
                if product_field.parts == parts:
                    found[Term(product_field, multiplier)] = factor
                    break
                found[Term(product_field, multiplier * Multiplier(derivatives))] = factor * of_product
        return LinearForm(found)


def _groups(
    form: LinearForm,
) -> list[tuple[Multiplier, float, tuple[tuple[Field, float, Derivatives], ...]]]:
    """Groups of terms of products whose multipliers differ only in derivatives.

    A group is the multiplier and the factor that its terms have in common, and the rest of each term.
    """
    groups: dict[Multiplier, list[tuple[Field, float, Derivatives]]] = {}
    for term, factor in form.items():
        if term.field.product:
            isotropic = replace(term.multiplier, derivatives=(0, 0, 0))
            groups.setdefault(isotropic, []).append((term.field, factor, term.multiplier.derivatives))
    found = []
    for isotropic, parts in groups.items():
        common = tuple(
            min(orders) for orders in zip(*(derivatives for *_, derivatives in parts), strict=True)
        )
        first = parts[0][1]
        rest = tuple(
            (product, factor / first, tuple(a - b for a, b in zip(derivatives, common, strict=True)))
            for product, factor, derivatives in parts
        )
        found.append((replace(isotropic, derivatives=common), first, rest))
    return found
