/** Responds to a reading's queries as an org does, and records the queries. */
import type { ContactPage } from '../../../../connectors/contract.ts';
import { toArray } from '../../connector-options.ts';
import { type Answer, field, MERGED, type ScriptedSalesforce } from '../scripted-salesforce.ts';

/** Address fields that the scripted org does not describe. */
export const UNDESCRIBED = [
  'MailingStreet',
  'MailingState',
  'MailingPostalCode',
  'MailingCountry',
  'OtherStreet',
  'OtherCity',
  'OtherState',
  'OtherPostalCode',
  'OtherCountry',
];

export const STAMP = '2026-11-19T10:00:00.000+0000';

/** Responds to the queries for contacts. No contact is merged. */
export function answer(crm: ScriptedSalesforce, reply: (soql: string) => Answer): void {
  crm.script(({ path }) => {
    const soql = path.startsWith(MERGED) ? null : /^\/query(?:All)?\?q=(.*)$/s.exec(path)?.[1];
    return soql ? reply(soql) : null;
  });
}

export function queries(crm: ScriptedSalesforce): string[] {
  return crm.asked.map(({ path }) => path).filter((path) => path.startsWith('/query'));
}

export async function readAll(
  crm: ScriptedSalesforce,
  ...choices: Parameters<ScriptedSalesforce['connector']>
) {
  const connector = await crm.connector(...choices);
  return (await toArray(connector.readPages(null))).flatMap(({ contacts }) => contacts);
}

export function describeContact(crm: ScriptedSalesforce, ...more: string[]): void {
  const fields = names('Id', 'FirstName', 'LastName', ...more);
  crm.script(({ path }) =>
    path === '/sobjects/Contact/describe' ? { body: { updateable: true, fields } } : null,
  );
}

/**
 * Makes the first query jobs fail. Salesforce gives no reason for the failure, as in some real cases. Returns the
 * number of jobs created.
 */
export function failedJobs(
  crm: ScriptedSalesforce,
  jobs: number,
  errorMessage = 'InternalServerError : retry your request',
) {
  let made = 0;
  crm.script(({ method, path }) => {
    if (!path.startsWith('/jobs/query')) return null;
    if (method === 'POST' && made === jobs) return null;
    if (method === 'POST') made += 1;
    const id = `75${made}`;
    if (method === 'POST') return { body: { id, state: 'UploadComplete' } };
    return path === `/jobs/query/${id}` && made <= jobs && !isDone()
      ? { body: { id, state: 'Failed', errorMessage } }
      : null;
  });
  const isDone = () => crm.asked.filter(({ method }) => method === 'POST').length > made + 1;
  return () => made;
}

/** Sets the responses for a query job with these pages of results. */
export function bulkQuery(crm: ScriptedSalesforce, pages: string[]) {
  let query = '';
  crm.script(({ method, path, body }) => {
    if (!path.startsWith('/jobs/query')) return null;
    if (method === 'POST') query = body;
    if (!path.includes('/results')) return { body: { id: '750', state: 'JobComplete' } };
    const at = Number(/locator=(\d+)/.exec(path)?.[1] ?? 0);
    const isLast = at === pages.length - 1;
    return { body: pages[at], headers: { 'sforce-locator': isLast ? 'null' : String(at + 1) } };
  });
  return { query: () => query };
}

export function names(...all: string[]) {
  return all.map((name) => field(name));
}

/** Returns the nth contact of a query's result. All contacts have the same timestamp. */
export function rowOf(at: number) {
  const Id = `003${String(at).padStart(12, '0')}AAA`;
  return { Id, FirstName: 'Maria', LastName: `Lopez ${at}`, SystemModstamp: STAMP };
}

export function idsOf(pages: readonly ContactPage[]): string[] {
  return pages.flatMap(({ contacts }) => contacts.map(({ id }) => id));
}
