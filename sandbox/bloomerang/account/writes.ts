/** Creates and changes constituents for clients. */
import { z } from 'zod';
import { BloomerangError, invalid, notFound } from '../core/errors.ts';
import type { Account } from './account.ts';
import { BLANK_BODY, type Body, type Constituent, writablePartsSchema } from './constituent.ts';
import type { CustomField } from './custom-fields.ts';
import { DETAIL_KINDS, type DetailKind, detailSchemas } from './details.ts';

const assignmentSchema = z.object({
  FieldId: z.number().int(),
  Value: z.union([z.string(), z.number()]).transform(String).nullish(),
  ValueId: z.number().int().nullish(),
  ValueIds: z.array(z.number().int()).nullish(),
});

type Assignment = z.output<typeof assignmentSchema>;

export const constituentInputSchema = writablePartsSchema.extend({
  PrimaryAddress: detailSchemas.address.nullish(),
  PrimaryEmail: detailSchemas.email.nullish(),
  PrimaryPhone: detailSchemas.phone.nullish(),
  SecondaryAddresses: z.array(detailSchemas.address).nullish(),
  SecondaryEmails: z.array(detailSchemas.email).nullish(),
  SecondaryPhones: z.array(detailSchemas.phone).nullish(),
  CustomValues: z.array(assignmentSchema).nullish(),
});

export type ConstituentInput = z.output<typeof constituentInputSchema>;

const PRIMARY = {
  address: 'PrimaryAddress',
  email: 'PrimaryEmail',
  phone: 'PrimaryPhone',
} as const satisfies Record<DetailKind, keyof ConstituentInput>;

const SECONDARY = {
  address: 'SecondaryAddresses',
  email: 'SecondaryEmails',
  phone: 'SecondaryPhones',
} as const satisfies Record<DetailKind, keyof ConstituentInput>;

/** Creates a constituent without searching for duplicates. */
export function createConstituent(
  account: Account,
  input: ConstituentInput,
  by: string,
): Constituent {
  return account.db.transaction(() => {
    const type = input.Type ?? 'Individual';
    requireNames(type, input);
    const atMs = account.clock();
    const body = { ...BLANK_BODY, ...partsOf(input), custom: assign(account, {}, input) };
    const times = { createdAtMs: atMs, modifiedAtMs: atMs, modifiedBy: by };
    const accountNumber = 1 + account.constituents.count();
    const created = account.constituents.create({ accountNumber, type, ...times, body });
    for (const kind of DETAIL_KINDS) addDetails(account, created.id, kind, input, atMs);
    return created;
  })();
}

/** Updates a constituent. The current variant defines how. */
export function updateConstituent(
  account: Account,
  id: number,
  input: ConstituentInput,
  by: string,
): Constituent {
  const variant = account.variant.current();
  const present = account.constituents.find(id);
  if (present === undefined) throw notFound('constituent');
  const type = input.Type ?? present.type;
  if (variant.names === 'required') requireNames(type, input);
  account.rules.check(
    id,
    (input.CustomValues ?? []).map(({ FieldId }) => FieldId),
  );
  return account.db.transaction(() => {
    const atMs = account.clock();
    const replaces = variant.put === 'replaces';
    const before = replaces ? blankParts(present.body) : present.body;
    const custom = assign(account, replaces ? {} : present.body.custom, input);
    const body = { ...before, ...partsOf(input), custom };
    for (const kind of DETAIL_KINDS) {
      if (replaces && input[PRIMARY[kind]] == null) account.details.removePrimary(id, kind);
      addDetails(account, id, kind, input, atMs);
    }
    const touches = variant.partsCountAsChange || Object.keys(partsOf(input)).length > 0;
    account.constituents.save({ ...present, type, body }, { by, atMs, touches });
    return account.constituents.find(id) ?? present;
  })();
}

/**
 * Clears the parts that are missing from a PUT request, if the variant says so. Communication settings have a separate
 * request, so they are kept.
 */
function blankParts(body: Body): Body {
  const { HouseholdId, PreferredCommunicationChannel, CommunicationRestrictions } = body;
  const { CommunicationRestrictionsUpdateReason, EmailInterestType, groupIds } = body;
  return {
    ...BLANK_BODY,
    ...(HouseholdId === undefined ? {} : { HouseholdId }),
    ...(PreferredCommunicationChannel === undefined ? {} : { PreferredCommunicationChannel }),
    ...(CommunicationRestrictionsUpdateReason === undefined
      ? {}
      : { CommunicationRestrictionsUpdateReason }),
    CommunicationRestrictions,
    EmailInterestType,
    groupIds,
  };
}

function partsOf(input: ConstituentInput): Partial<Body> {
  const parts = writablePartsSchema.parse(input);
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));
}

function requireNames(
  type: Constituent['type'],
  { FirstName, LastName, FullName }: ConstituentInput,
): void {
  if (type === 'Organization') {
    if (!FullName) throw invalid('FullName is required.');
    return;
  }
  const missing = Object.entries({ FirstName, LastName }).filter(([, value]) => !value);
  if (missing.length > 0) throw invalid(...missing.map(([name]) => `${name} is required.`));
  if (FullName != null) throw invalid('FullName cannot be set for an individual.');
}

function addDetails(
  { details }: Account,
  constituentId: number,
  kind: DetailKind,
  input: ConstituentInput,
  modifiedAtMs: number,
): void {
  const primary = input[PRIMARY[kind]];
  if (primary != null) {
    const present = details.of(constituentId).find((each) => each.kind === kind && each.isPrimary);
    const detail = { kind, constituentId, isPrimary: true, modifiedAtMs, body: primary };
    if (present === undefined) details.add(detail);
    else details.update({ ...present, ...detail });
  }
  for (const body of input[SECONDARY[kind]] ?? []) {
    details.add({ kind, constituentId, isPrimary: false, modifiedAtMs, body });
  }
}

function assign(
  account: Account,
  present: Body['custom'],
  input: ConstituentInput,
): Body['custom'] {
  const assignments = input.CustomValues;
  if (assignments == null) return present;
  const isReplaced = account.variant.current().customValues === 'replaces';
  const custom: Record<string, string | readonly number[]> = isReplaced ? {} : { ...present };
  for (const assignment of assignments) {
    const field = account.customFields.find(assignment.FieldId);
    if (field === undefined || !field.isActive) {
      throw invalid(`There is no custom field ${assignment.FieldId}.`);
    }
    if (account.rules.ignores(field.id)) continue;
    const value = toStored(account, field, assignment);
    if (value === null || value.length === 0) delete custom[field.id];
    else custom[field.id] = value;
  }
  return custom;
}

function toStored(
  { customFields }: Account,
  field: CustomField,
  { FieldId, Value = null, ValueId = null, ValueIds }: Assignment,
): string | readonly number[] | null {
  if (field.pickType === 'Freeform') return Value === null ? null : checkedText(field, Value);
  const ids = field.pickType === 'PickOne' ? (ValueId === null ? [] : [ValueId]) : (ValueIds ?? []);
  for (const id of ids) {
    if (customFields.findValue(id)?.fieldId === FieldId) continue;
    throw invalid(`${id} is not a value of custom field ${FieldId}.`);
  }
  return ids;
}

const MAX_TEXT = 100_000;

function checkedText({ id, dataType }: CustomField, text: string): string {
  const isRight = {
    Text: text.length <= MAX_TEXT,
    Date: /^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(Date.parse(text)),
    Year: /^\d{4}$/.test(text),
    Decimal: /^-?\d+(\.\d+)?$/.test(text),
    Currency: /^-?\d+(\.\d+)?$/.test(text),
  }[dataType];
  if (!isRight) throw invalid(`The value of custom field ${id} is not of the type ${dataType}.`);
  return dataType === 'Date' ? text.slice(0, 10) : text;
}

/** The body that `updateCommunicationSettings` accepts. */
export const communicationSchema = z.object({
  CommunicationRestrictions: z
    .object({
      UpdateReason: z.string().min(1),
      CommunicationRestrictions: z.array(z.enum(['DoNotCall', 'DoNotMail', 'DoNotSolicit'])),
    })
    .optional(),
  PreferredChannel: z
    .object({ PreferredCommunicationChannel: z.enum(['Email', 'Phone', 'TextMessage', 'Mail']) })
    .optional(),
  EmailInterests: z
    .object({
      UpdateReason: z.string().min(1),
      EmailInterestType: z.enum(['All', 'Custom', 'OptedOut']),
    })
    .optional(),
});

export function updateCommunication(
  account: Account,
  id: number,
  order: z.output<typeof communicationSchema>,
  by: string,
): Constituent {
  const present = account.constituents.find(id);
  if (present === undefined) throw notFound('constituent');
  const { CommunicationRestrictions: restrictions, PreferredChannel, EmailInterests } = order;
  const body: Body = {
    ...present.body,
    ...PreferredChannel,
    ...(restrictions && {
      CommunicationRestrictions: restrictions.CommunicationRestrictions,
      CommunicationRestrictionsUpdateReason: restrictions.UpdateReason,
    }),
    ...(EmailInterests && {
      EmailInterestType: EmailInterests.EmailInterestType,
      EmailInterestsUpdateReason: EmailInterests.UpdateReason,
    }),
  };
  account.constituents.save({ ...present, body }, { by, atMs: account.clock(), touches: true });
  return account.constituents.find(id) ?? present;
}

/** Parses a request's body. Responds with 400 if it does not match the schema. */
export function readInput<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new BloomerangError(400, 'The request is invalid.', { errors });
}
