import { z } from 'zod';
import { isConfigurationError, messageOf } from '../../src/core/errors.ts';
import { foreignCode } from '../../src/core/foreign-text.ts';
import type { FieldViewers } from '../contract.ts';
import { getCrmCode, readAs } from './errors.ts';
import { type QueryRecord, queryRecords, quoted, quotedList } from './query.ts';
import type { SalesforceSession } from './session.ts';

/**
 * A permission set that belongs to donor-sync. donor-sync creates it if the org has no permission set with this name.
 */
export interface OwnSet {
  name: string;
  label: string;
  description: string;
  access: { PermissionsRead: boolean; PermissionsEdit: boolean };
}

/** Gives the CRM user of donor-sync access to the fields that donor-sync writes. */
export const FIELDS: OwnSet = {
  name: 'donor_sync_fields',
  label: 'donor-sync fields',
  description: 'Fields that donor-sync writes.',
  access: { PermissionsRead: true, PermissionsEdit: true },
};

/** The permission set for users who may see the fields. Without the permission set, nobody can see a new field. */
export const VIEWERS: OwnSet = {
  name: 'donor_sync_viewers',
  label: 'donor-sync viewers',
  description: 'Lets people see the fields that donor-sync writes. They cannot change them.',
  access: { PermissionsRead: true, PermissionsEdit: false },
};

const PLACE_FIELDS =
  'To have the fields on the screen, place them: Setup → Object Manager → Contact → Page Layouts, or Lightning Record Pages where those use Dynamic Forms.';

const createdSchema = z.object({ id: z.string() });

const saveResultsSchema = z.array(
  z.object({
    success: z.boolean(),
    errors: z.array(z.object({ statusCode: z.string() })).default([]),
  }),
);

/** The number of records in one request to the Collections API. */
const COLLECTION_ROWS = 200;

/**
 * Gives the CRM user of donor-sync access to these fields, and creates the permission set if it does not exist. Returns
 * the problem for each field without access.
 */
export async function grantFields(
  session: SalesforceSession,
  names: readonly string[],
): Promise<Map<string, string>> {
  try {
    const setId = await findOrCreateSet(session, FIELDS);
    const problems = await grantTo(session, setId, FIELDS, names);
    await assignToSelf(session, setId);
    return problems;
  } catch (error) {
    const problem = `The field exists, but access to it could not be granted: ${describeRefusal(error)} A System Administrator can grant read and edit access in a permission set, and assign that set.`;
    return new Map(names.map((name) => [name, problem]));
  }
}

/**
 * Lets users read fields of Contact. Includes users who already have the permission set. If a profile is given, its
 * active users get the permission set too. Salesforce cannot assign a permission set to a profile. If users get the
 * profile later, the administrator must call this function again.
 */
export async function showFields(
  session: SalesforceSession,
  names: readonly string[],
  profile: string | null,
): Promise<FieldViewers> {
  const shown = { grant: VIEWERS.label, people: 0, assigned: 0, refused: 0, next: PLACE_FIELDS };
  try {
    const setId = await findOrCreateSet(session, VIEWERS);
    const problems = await grantTo(session, setId, VIEWERS, names.filter(isCustom));
    const users = profile === null ? [] : await findUsers(session, profile);
    const { assigned, refused } = await assignTo(session, setId, users);
    return {
      ...shown,
      assigned,
      refused,
      people: await countPeople(session, [setId]),
      problem: describeProblem(profile, users, problems),
    };
  } catch (error) {
    const problem = `The permission set “${VIEWERS.label}” could not be created: ${describeRefusal(error)} An admin can make one by hand that lets people read the fields.`;
    return { ...shown, problem };
  }
}

function describeProblem(
  profile: string | null,
  users: readonly string[],
  problems: ReadonlyMap<string, string>,
): string | null {
  if (profile !== null && users.length === 0) {
    return `No active user has a profile named “${profile}”: write its name as in Setup → Profiles.`;
  }
  const [first] = problems;
  return first === undefined ? null : `${first[0]}: ${first[1]}`;
}

/**
 * Returns the number of users who can read at least one of the fields. The number does not include donor-sync's CRM
 * user.
 */
export async function countViewers(
  session: SalesforceSession,
  names: readonly string[],
): Promise<number> {
  const fields = names.filter(isCustom).map((name) => `Contact.${name}`);
  // Standard fields are visible to everyone unless an administrator hides them.
  if (fields.length < names.length || fields.length === 0) return Number.POSITIVE_INFINITY;
  const granted = await queryRecords(
    session.api,
    `SELECT ParentId FROM FieldPermissions WHERE SobjectType = 'Contact' AND PermissionsRead = true AND Field IN ${quotedList(fields)}`,
  );
  const sets = new Set(granted.map(({ ParentId }) => String(ParentId)));
  return sets.size === 0 ? 0 : countPeople(session, [...sets]);
}

/** Counts the users who have one of these permission sets. The number does not include donor-sync's CRM user. */
async function countPeople(
  { api, userId }: PermissionDeps,
  sets: readonly string[],
): Promise<number> {
  const assigned = await queryRecords(
    api,
    `SELECT AssigneeId FROM PermissionSetAssignment WHERE PermissionSetId IN ${quotedList([...sets])} AND AssigneeId != ${quoted(userId)} AND Assignee.IsActive = true`,
  );
  return new Set(assigned.map(({ AssigneeId }) => String(AssigneeId))).size;
}

async function findUsers({ api }: PermissionDeps, profile: string): Promise<string[]> {
  const users = await queryRecords(
    api,
    `SELECT Id FROM User WHERE IsActive = true AND Profile.Name = ${quoted(profile)}`,
  );
  return users.map(({ Id }) => String(Id));
}

function isCustom(name: string): boolean {
  return name.endsWith('__c');
}

/** Returns the reason for Salesforce's refusal as text. The function throws any other error again. */
function describeRefusal(error: unknown): string {
  if (!isConfigurationError(error) || error.code !== 'crm_request_refused') throw error;
  return lacksRight(error) ? NO_RIGHT : messageOf(error);
}

const NO_RIGHT =
  "the integration's user lacks the permission “Manage Profiles and Permission Sets” or “Assign Permission Sets”.";

/**
 * Returns true if a permission is missing. If a permission is missing, Salesforce refuses the request or hides records.
 * The cause of a missing permission is the set-up and not a contact.
 */
export function lacksRight(error: unknown): boolean {
  return NO_RIGHT_CODES.has(getCrmCode(error) ?? '');
}

const NO_RIGHT_CODES: ReadonlySet<string> = new Set([
  'INSUFFICIENT_ACCESS',
  'INSUFFICIENT_ACCESS_OR_READONLY',
  'INSUFFICIENT_ACCESS_ON_CROSS_REFERENCE_ENTITY',
  'NOT_FOUND',
  'ERROR_HTTP_404',
  'INVALID_TYPE',
]);

type PermissionDeps = Pick<SalesforceSession, 'api' | 'userId'>;

async function findOrCreateSet({ api }: PermissionDeps, set: OwnSet): Promise<string> {
  const [found] = await queryRecords(
    api,
    `SELECT Id FROM PermissionSet WHERE Name = ${quoted(set.name)}`,
  );
  if (found !== undefined) return String(found['Id']);
  const body = { Name: set.name, Label: set.label, Description: set.description };
  return readAs(createdSchema, await api.send('POST', '/sobjects/PermissionSet', body)).id;
}

/** Adds missing field permissions to the permission set, and extends permissions that are too weak. */
async function grantTo(
  { api }: PermissionDeps,
  ParentId: string,
  { access }: OwnSet,
  names: readonly string[],
): Promise<Map<string, string>> {
  if (names.length === 0) return new Map();
  const fields = new Map(names.map((name) => [`Contact.${name}`, name]));
  const present = await queryRecords(
    api,
    `SELECT Id, Field, PermissionsRead, PermissionsEdit FROM FieldPermissions WHERE ParentId = ${quoted(ParentId)} AND SobjectType = 'Contact' AND Field IN ${quotedList([...fields.keys()])}`,
  );
  const presentFields = new Map(present.map((record) => [String(record['Field']), record]));
  const type = { type: 'FieldPermissions' };
  const missing = [...fields.keys()].filter((field) => !presentFields.has(field));
  const weak = [...presentFields.values()].filter(
    (record) =>
      record['PermissionsRead'] !== true ||
      (access.PermissionsEdit && record['PermissionsEdit'] !== true),
  );
  return new Map([
    ...(await save(
      api,
      'POST',
      missing.map((Field) => ({
        attributes: type,
        ParentId,
        SobjectType: 'Contact',
        Field,
        ...access,
      })),
      (at) => fields.get(missing[at] ?? ''),
    )),
    ...(await save(
      api,
      'PATCH',
      weak.map(({ Id }) => ({ attributes: type, id: Id, ...access })),
      (at) => fields.get(String(weak[at]?.['Field'])),
    )),
  ]);
}

/** Saves the records, and returns the problem for each rejected record. The map's key is the record's name. */
async function save(
  api: PermissionDeps['api'],
  method: 'POST' | 'PATCH',
  records: readonly QueryRecord[],
  nameAt: (position: number) => string | undefined,
): Promise<[string, string][]> {
  const problems: [string, string][] = [];
  for (let start = 0; start < records.length; start += COLLECTION_ROWS) {
    const batch = records.slice(start, start + COLLECTION_ROWS);
    const body = { allOrNone: false, records: batch };
    const saved = readAs(saveResultsSchema, await api.send(method, '/composite/sobjects', body));
    for (const [at, { success, errors }] of saved.entries()) {
      const name = nameAt(start + at);
      if (success || name === undefined) continue;
      const code = foreignCode(errors[0]?.statusCode ?? 'UNKNOWN_EXCEPTION');
      const why = NO_RIGHT_CODES.has(code) ? `: ${NO_RIGHT}` : ` (${code}).`;
      problems.push([name, `Access to the field could not be granted${why}`]);
    }
  }
  return problems;
}

/**
 * Assigns the permission set to the CRM user of donor-sync. The function throws if Salesforce refuses, because
 * donor-sync cannot write without this access.
 */
async function assignToSelf(
  { api, userId }: PermissionDeps,
  PermissionSetId: string,
): Promise<void> {
  const [assigned] = await queryRecords(
    api,
    `SELECT Id FROM PermissionSetAssignment WHERE AssigneeId = ${quoted(userId)} AND PermissionSetId = ${quoted(PermissionSetId)}`,
  );
  if (assigned !== undefined) return;
  await api.send('POST', '/sobjects/PermissionSetAssignment', {
    AssigneeId: userId,
    PermissionSetId,
  });
}

/** Assigns the permission set to users, and returns the number of refused assignments. */
async function assignTo(
  { api }: PermissionDeps,
  PermissionSetId: string,
  users: readonly string[],
): Promise<{ assigned: number; refused: number }> {
  if (users.length === 0) return { assigned: 0, refused: 0 };
  const present = await queryRecords(
    api,
    `SELECT AssigneeId FROM PermissionSetAssignment WHERE PermissionSetId = ${quoted(PermissionSetId)}`,
  );
  const has = new Set(present.map(({ AssigneeId }) => String(AssigneeId)));
  const missing = users.filter((user) => !has.has(user));
  const records = missing.map((AssigneeId) => ({
    attributes: { type: 'PermissionSetAssignment' },
    AssigneeId,
    PermissionSetId,
  }));
  const refused = await save(api, 'POST', records, (at) => missing[at]);
  return { assigned: missing.length - refused.length, refused: refused.length };
}
