/** The kinds of associations between contacts and companies, with HubSpot's numbers and the forms that the API uses. */

import { z } from 'zod';
import { validationError } from '../core/errors.ts';
import { CONTACTS, findObjectType, type ObjectType, otherType } from '../core/object-type.ts';
import type { AssociationKind, Associations } from './associations.ts';

const TYPE_IDS: Readonly<Record<ObjectType['name'], Readonly<Record<AssociationKind, number>>>> = {
  contacts: { primary: 1, unlabeled: 279 },
  companies: { primary: 2, unlabeled: 280 },
};

/** A kind of association, as clients name it. */
export const associationSpecSchema = z.object({
  associationCategory: z.enum(['HUBSPOT_DEFINED', 'INTEGRATOR_DEFINED', 'USER_DEFINED', 'WORK']),
  associationTypeId: z.number().int(),
});

const idSchema = z.union([z.string(), z.number()]).transform(String);

/** The associations that are created together with a new record. */
export const tiesSchema = z
  .array(
    z.object({ to: z.object({ id: idSchema }), types: z.array(associationSpecSchema).default([]) }),
  )
  .default([]);

/** Converts the associations of a new record to the form that the store expects. */
export function readTies(ties: z.output<typeof tiesSchema>) {
  return ties.map(({ to, types }) => ({
    toId: to.id,
    isPrimary: types.some(({ associationTypeId }) => kindOf(associationTypeId) === 'primary'),
  }));
}

/** Returns the kind of association with the given number. Throws if no kind has the number. */
export function kindOf(typeId: number): AssociationKind {
  const kinds = Object.values(TYPE_IDS).flatMap((ids) => Object.entries(ids));
  const [name] = kinds.find(([, id]) => id === typeId) ?? [];
  if (name === 'primary' || name === 'unlabeled') return name;
  throw validationError(`No association type with ID ${typeId} exists between these objects.`);
}

/** Describes a kind of association from the perspective of one record, in the form of the associations API. */
export function labelledSpec(from: ObjectType, kind: AssociationKind) {
  const label = kind === 'primary' ? { label: 'Primary' } : {};
  return { category: 'HUBSPOT_DEFINED', typeId: TYPE_IDS[from.name][kind], ...label };
}

export function labelsOf(from: ObjectType) {
  return KINDS.map((kind) => labelledSpec(from, kind));
}

/**
 * Returns the name of a kind of association from the perspective of one record. API version 3 and responses about
 * records use this name.
 */
export function kindName(from: ObjectType, kind: AssociationKind): string {
  const name = from === CONTACTS ? 'contact_to_company' : 'company_to_contact';
  return kind === 'primary' ? name : `${name}_unlabeled`;
}

/** Returns the kinds of associations in API version 3, from the perspective of one record. */
export function namedKinds(from: ObjectType) {
  return KINDS.map((kind) => ({ id: `${TYPE_IDS[from.name][kind]}`, name: kindName(from, kind) }));
}

/** Returns the association kind for a v3 name or a number. */
export function kindNamed(from: ObjectType, name: string): AssociationKind {
  const known = namedKinds(from).findIndex((one) => one.name === name || one.id === name);
  const kind = KINDS[known];
  if (kind !== undefined) return kind;
  throw validationError(`No association type "${name}" exists between these objects.`);
}

const KINDS: readonly AssociationKind[] = ['primary', 'unlabeled'];

/** Describes a kind of association from the perspective of one record, in the form that clients send. */
export function plainSpec(from: ObjectType, kind: AssociationKind) {
  return { associationCategory: 'HUBSPOT_DEFINED', associationTypeId: TYPE_IDS[from.name][kind] };
}

/**
 * Returns the associations for a response about a record. Returns an empty object if the request does not ask for
 * associations.
 */
export function associationsBody(
  { associations }: { associations: Associations },
  type: ObjectType,
  id: string,
  asked: readonly string[],
) {
  const other = otherType(type);
  const isAsked = asked.some((word) => isType(word, other));
  const ties = isAsked ? associations.list(type, id) : [];
  if (ties.length === 0) return {};
  const results = ties.flatMap(({ id: otherId, kinds }) =>
    kinds.map((kind) => ({ id: otherId, type: kindName(type, kind) })),
  );
  return { associations: { [other.name]: { results } } };
}

/** Returns true if the word names the type. Unknown names are skipped, as in HubSpot. */
function isType(word: string, type: ObjectType): boolean {
  try {
    return findObjectType(word) === type;
  } catch {
    return false;
  }
}
