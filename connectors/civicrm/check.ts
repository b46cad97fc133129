/** Runs the checks of `doctor`. */
import type { ConnectorOptions, Finding } from '../contract.ts';
import { attempt, checked, failed, met, plain } from '../findings/findings.ts';
import { aboutCivicrm } from './about.ts';
import { ADDRESS_SOURCE, NOT_IN_TRASH, PEOPLE } from './contact.ts';
import { readGroup } from './groups.ts';
import { NOT_VERIFIED } from './not-verified.ts';
import { sampleIds } from './read.ts';
import { type CivicrmSession, openSession } from './session.ts';
import type { CivicrmSettings } from './settings.ts';

const SIGN_IN = 'CiviCRM sign-in';

/** Returns the findings. `doctor`'s checks never throw, and they close all connections. */
export async function check(options: ConnectorOptions<CivicrmSettings>): Promise<Finding[]> {
  const findings: Finding[] = [];
  try {
    const fix = 'Follow the advice in the message, then run doctor again.';
    const session = await attempt(findings, SIGN_IN, fix, () => openSession(options));
    if (session === null) return findings;
    try {
      findings.push(met(SIGN_IN, `CiviCRM can be opened: ${session.account.name}.`));
      findings.push(...(await checkParts(session, options)));
    } finally {
      session.api.close();
    }
  } catch (error) {
    // If a request limit is reached, no further check runs.
    findings.push(failed(SIGN_IN, 'Run doctor again later.', error));
  }
  return findings;
}

async function checkParts(
  session: CivicrmSession,
  { uses, contacts }: ConnectorOptions<CivicrmSettings>,
): Promise<Finding[]> {
  const parts: readonly [string, string, () => Promise<Finding[]>][] = [
    ['Contacts', PERMISSION, () => checkContacts(session)],
    ['Addresses', 'Update CiviCRM.', async () => checkAddresses(session)],
    [
      'Fields',
      'Run `donor-sync fields create`.',
      async () => checkFields(session, uses?.fields ?? []),
    ],
    ['Marks', PERMISSION, () => checkMarks(session, contacts.doNotContactField ?? null)],
    ['Trash', PERMISSION, () => checkTrash(session)],
  ];
  const findings: Finding[] = [];
  for (const [subject, fix, work] of parts) findings.push(...(await checked(subject, fix, work)));
  for (const selector of uses?.groups ?? []) {
    const subject = `Group ${String(selector['group'])}`;
    findings.push(
      ...(await checked(subject, 'Correct networks[].group.', async () => {
        let count = 0;
        for await (const ids of readGroup(session, selector)) count += ids.length;
        return [met(subject, `The group has ${count} people.`)];
      })),
    );
  }
  return [...findings, ...NOT_VERIFIED.map(toFinding)];
}

const PERMISSION = "Check the permissions of the integration's user in CiviCRM.";

/** Checks whether the user can see contacts and can edit at least one contact. */
async function checkContacts(session: CivicrmSession): Promise<Finding[]> {
  const [id] = await sampleIds(session, 1);
  const subject = 'Contacts';
  if (id === undefined) {
    const message =
      'The user cannot see any people in CiviCRM, or the filter excludes all of them.';
    const fix = 'Give the user the permission "view all contacts", or correct contacts.filter.';
    return [plain({ subject, ok: false, message, fix, cause: 'crm_contacts_hidden' })];
  }
  const params = { action: 'update', values: { id: Number(id) } };
  const rows = await session.api.askIfAllowed('Contact', 'checkAccess', params);
  if (rows?.[0]?.['access'] === true) return [met(subject, 'Contacts can be read and edited.')];
  const message = 'Contacts can be read, but the user may not edit the one that was tried.';
  const fix = 'Give the user the permission "edit all contacts".';
  return [plain({ subject, ok: false, message, fix, cause: 'crm_contacts_not_editable' })];
}

function checkAddresses({ shape }: CivicrmSession): Finding[] {
  const source = shape.sources.find(({ name }) => name === ADDRESS_SOURCE);
  if (source?.readable === true) return [met('Addresses', 'Primary addresses can be read.')];
  const message =
    'This version of CiviCRM does not show primary addresses with contacts. People are sent without their address, so fewer are recognised.';
  return [
    plain({ subject: 'Addresses', ok: false, message, fix: 'Update CiviCRM to 5.47 or later.' }),
  ];
}

function checkFields({ fields }: CivicrmSession, names: readonly string[]): Finding[] {
  if (names.length === 0) return [];
  const missing = names.filter((name) => fields.get(name)?.isWritable !== true);
  const ofSubtype = names.filter((name) => fields.get(name)?.isOfSubtype === true);
  return [
    missing.length === 0
      ? met('Fields', 'All mapped fields can be written.')
      : notWritable(missing),
    ...(ofSubtype.length === 0 ? [] : [hiddenFromOthers(ofSubtype)]),
  ];
}

function notWritable(names: readonly string[]): Finding {
  const message = `These mapped fields are missing, hidden, fixed, or not for individuals: ${names.join(', ')}.`;
  const fix =
    'Run `donor-sync fields create`, or give the user the permission "access all custom data".';
  return { subject: 'Fields', ok: false, message, fix, cause: 'crm_field_missing' };
}

function hiddenFromOthers(names: readonly string[]): Finding {
  const message = `CiviCRM shows these mapped fields only in contacts of a subtype: ${names.join(', ')}. In other contacts, donor-sync writes values that users cannot see.`;
  const fix =
    'You do not have to do anything if contacts.filter includes only contacts of this subtype. Otherwise map fields of a custom group that is used for all individuals.';
  return { subject: 'Fields of a subtype', ok: true, message, fix };
}

async function checkMarks(
  { api, fields }: CivicrmSession,
  chosen: string | null,
): Promise<Finding[]> {
  const counts: string[] = [];
  for (const { field: name, label: meaning } of aboutCivicrm.setup.contactMarks ?? []) {
    if (!fields.has(name) || name === chosen) continue;
    const where = [PEOPLE, NOT_IN_TRASH, [name, '=', true]];
    const { total } = await api.get('Contact', { select: ['row_count'], where });
    if (total !== null && total > 0) counts.push(`${name} (${meaning}): ${total}`);
  }
  if (counts.length === 0) return [];
  const message = `CiviCRM has marks that are about contacting people, and donor-sync does not take them for “do not research”. Contacts with a mark: ${counts.join(', ')}. If a mark also means that a person must not be researched, set contacts.doNotContactField to its name.`;
  return [plain(met('Marks', message))];
}

async function checkTrash({ api }: CivicrmSession): Promise<Finding[]> {
  const where = [PEOPLE, ['is_deleted', '=', true]];
  const { values } = await api.get('Contact', { select: ['id'], where, limit: 1 });
  const message =
    values.length > 0
      ? 'Deleted contacts can be told from hidden ones.'
      : 'The trash seems empty. If it is not, give the user the permission "access deleted contacts": otherwise a deleted contact looks like one that the user may no longer see.';
  return [plain(met('Trash', message))];
}

function toFinding({ assumed, otherwise }: (typeof NOT_VERIFIED)[number]): Finding {
  return plain(met('Not verified on a real site', `${assumed} Otherwise: ${otherwise}`));
}
