import { z } from 'zod';
import { ConfigurationError } from '../../src/core/errors.ts';
import type { GroupSelector, GroupSummary } from '../contract.ts';
import { eachOnce, unknownGroup } from '../reading/group-members.ts';
import type { SalesforceApi } from './api.ts';
import { getCrmCode, readAs } from './errors.ts';
import { contactId, ID_PREFIXES, longId } from './ids.ts';
import { queryPages, queryRecords, quoted, quotedList, whereClause } from './query.ts';
import type { SalesforceSession } from './session.ts';
import { type SalesforceGroup, salesforceGroupSchema } from './settings.ts';

/** The maximum number of campaigns that users can choose from. */
const MOST_CAMPAIGNS = 500;

export async function* readGroup(
  session: SalesforceSession,
  selector: GroupSelector,
): AsyncGenerator<readonly string[]> {
  const group = salesforceGroupSchema.parse(selector);
  yield* eachOnce(listIds(session, group), session.signal);
}

/** Returns the active campaigns. The number of members comes from Salesforce. */
export async function listGroups({ api }: SalesforceSession): Promise<GroupSummary[]> {
  const campaigns = await queryRecords(
    api,
    `SELECT Id, Name, NumberOfContacts FROM Campaign WHERE IsActive = true ORDER BY Name LIMIT ${MOST_CAMPAIGNS}`,
  );
  return campaigns.map(({ Id, Name, NumberOfContacts }) => ({
    selector: { campaign: String(Id) },
    name: String(Name),
    memberCount: typeof NumberOfContacts === 'number' ? NumberOfContacts : null,
  }));
}

function listIds(session: SalesforceSession, group: SalesforceGroup): AsyncIterable<string[]> {
  if ('campaign' in group) return campaignMembers(session, group.campaign, group.statuses ?? null);
  if ('affiliation' in group) return affiliated(session, group.affiliation);
  if ('report' in group) return reportMembers(session, group.report);
  return contactsWhere(session, group.where);
}

/**
 * Yields the contacts in a campaign. Leads are skipped, because they are not contacts. The log reports the number of
 * skipped leads.
 */
async function* campaignMembers(
  session: SalesforceSession,
  campaign: string,
  statuses: readonly string[] | null,
): AsyncGenerator<string[]> {
  const id = await findOne(session, 'Campaign', campaign, ID_PREFIXES.campaign);
  const where = whereClause([
    `CampaignId = ${quoted(id)}`,
    statuses === null ? null : `Status IN ${quotedList(statuses)}`,
  ]);
  let leads = 0;
  for await (const members of queryPages(
    session.api,
    `SELECT Id, ContactId, LeadId FROM CampaignMember${where}`,
  )) {
    const contacts = members.flatMap(({ ContactId }) => toTexts(ContactId));
    leads += members.length - contacts.length;
    yield contacts;
  }
  if (leads > 0) session.log.info({ campaign: id, leads }, "the campaign's leads are left out");
}

/** Yields the people who are affiliated with an organisation in the Nonprofit Success Pack. */
async function* affiliated(
  session: SalesforceSession,
  { organization, role, status }: Extract<SalesforceGroup, { affiliation: unknown }>['affiliation'],
): AsyncGenerator<string[]> {
  const id = await findOne(session, 'Account', organization, ID_PREFIXES.account);
  const where = whereClause([
    `npe5__Organization__c = ${quoted(id)}`,
    `npe5__Status__c = ${quoted(status)}`,
    role === undefined ? null : `npe5__Role__c = ${quoted(role)}`,
  ]);
  for await (const rows of queryPages(
    session.api,
    `SELECT Id, npe5__Contact__c FROM npe5__Affiliation__c${where}`,
  )) {
    yield rows.flatMap(({ npe5__Contact__c }) => toTexts(npe5__Contact__c));
  }
}

async function* reportMembers(session: SalesforceSession, text: string): AsyncGenerator<string[]> {
  const id = longId(text, ID_PREFIXES.report);
  if (id === null) {
    throw unknownGroup(`"${text}" is not a report ID: copy the ID from the report's address.`);
  }
  yield await readReport(session.api, id);
}

async function* contactsWhere(
  session: SalesforceSession,
  condition: string,
): AsyncGenerator<string[]> {
  const soql = `SELECT Id FROM Contact${whereClause([`(${condition})`])}`;
  for await (const rows of queryPages(session.api, soql)) {
    yield rows.flatMap(({ Id }) => toTexts(Id));
  }
}

async function findOne(
  { api }: SalesforceSession,
  object: 'Campaign' | 'Account',
  idOrName: string,
  prefix: string,
): Promise<string> {
  const id = longId(idOrName, prefix);
  const isTheOne = id === null ? `Name = ${quoted(idOrName)}` : `Id = ${quoted(id)}`;
  const found = await queryRecords(api, `SELECT Id FROM ${object} WHERE ${isTheOne} LIMIT 2`);
  const [only] = found;
  if (found.length === 1 && only !== undefined) return String(only['Id']);
  throw unknownGroup(
    only === undefined
      ? `Salesforce has no ${object} "${idOrName}" that the integration's user can see.`
      : `Salesforce has more than one ${object} with the name "${idOrName}": write the ID instead.`,
  );
}

function toTexts(value: unknown): string[] {
  return typeof value === 'string' ? [value] : [];
}

/** The part of a report's result that lists people. */
const reportSchema = z.object({
  /** False if Salesforce has omitted rows. */
  allData: z.boolean(),
  hasDetailRows: z.boolean().default(true),
  /** The key `T!T` contains the rows of the whole report. */
  factMap: z.record(
    z.string(),
    z.object({
      rows: z.array(z.object({ dataCells: z.array(z.object({ value: z.unknown() })) })).default([]),
    }),
  ),
  reportMetadata: z.object({
    detailColumns: z.array(z.string()).default([]),
  }),
});

type Report = z.infer<typeof reportSchema>;

/** The maximum number of rows that Salesforce returns for a report (CRM facts, section A2). */
const MAX_ROWS = 2_000;

/** Matches the names of columns that contain the contact's own ID and not the ID of a related person. */
const CONTACT_ID_COLUMN =
  /^(CONTACT_ID|CONTACT\.ID|CONT_ID|CONTACTID|.*\bCONTACT\.ID|.*CONTACT_ID)$/i;

/** Runs a report and returns the contacts in it. Throws if the report does not show all its rows. */
export async function readReport(api: SalesforceApi, id: string): Promise<string[]> {
  const report = readAs(reportSchema, await runReport(api, id));
  const rows = Object.values(report.factMap).flatMap((part) => part.rows);
  if (!report.allData || rows.length > MAX_ROWS) throw tooLarge(id);
  const cells = rows.map((row) => row.dataCells.map(({ value }) => idIn(value)));
  if (cells.length === 0 && report.hasDetailRows) return [];
  const column = contactColumn(id, report, cells);
  return cells.flatMap((row) => row[column] ?? []);
}

async function runReport(api: SalesforceApi, id: string): Promise<unknown> {
  try {
    return await api.get(`/analytics/reports/${id}?includeDetails=true`);
  } catch (cause) {
    if (getCrmCode(cause) !== 'NOT_FOUND') throw cause;
    const message = `Salesforce has no report "${id}" that the integration's user can see.`;
    throw unknownGroup(message, cause);
  }
}

/**
 * Returns the column with the contact IDs. The column has a matching name, or it is the only column with contact IDs.
 */
function contactColumn(id: string, report: Report, cells: readonly (string | null)[][]): number {
  const { detailColumns } = report.reportMetadata;
  const holdsIds = (at: number) => cells.some((row) => row[at] !== null && row[at] !== undefined);
  const candidates = [...(cells[0] ?? []).keys()].filter(holdsIds);
  const named = candidates.filter((at) => CONTACT_ID_COLUMN.test(detailColumns[at] ?? ''));
  const [column] = named.length > 0 ? named : candidates;
  if (column !== undefined && (named.length === 1 || candidates.length === 1)) return column;
  throw new ConfigurationError(
    `The report ${id} does not identify its contacts: add the column Contact ID to its rows once.`,
    { code: 'crm_group_unreadable' },
  );
}

function idIn(value: unknown): string | null {
  return typeof value === 'string' ? contactId(value) : null;
}

function tooLarge(id: string): ConfigurationError {
  return new ConfigurationError(
    `The report ${id} has more than ${MAX_ROWS.toLocaleString('en-US')} rows, which is the most that Salesforce returns to programs: narrow its filters, or use a campaign or a condition (where) instead.`,
    { code: 'crm_group_too_large' },
  );
}
