/** Converts pages of records to contacts. Requests the companies of many pages together. */

import type { Contact } from '../../../src/core/contact.ts';
import { ahead, together } from '../../requests/ahead.ts';
import type { ContactShape } from '../contact.ts';
import type { HubspotRecord } from '../record.ts';
import { COMPANIES_PER_REQUEST } from './companies.ts';

/** The maximum number of pages that wait for a joint request for their companies. */
const MAX_WAITING_PAGES = 10;

/** The number of requests for companies in flight at the same time. */
const PORTIONS_AT_ONCE = 4;

interface RecordPage {
  records: readonly HubspotRecord[];
}

/** Yields the pages with contacts, in the same order. Fetches the next pages at the same time. */
export async function* withContacts<Page extends RecordPage>(
  shape: Pick<ContactShape, 'unknownCompanies' | 'toContacts'>,
  pages: AsyncIterable<Page>,
): AsyncGenerator<{ page: Page; contacts: Contact[] }> {
  const portions = together(groupPages(shape, pages), PORTIONS_AT_ONCE, async (batch) => ({
    portion: batch,
    contacts: await shape.toContacts(batch.flatMap(({ records }) => records)),
  }));
  for await (const { portion, contacts } of ahead(portions, 1)) {
    let start = 0;
    for (const page of portion) {
      const end = start + page.records.length;
      yield { page, contacts: contacts.slice(start, end) };
      start = end;
    }
  }
}

/** Groups pages until their companies fill one request. */
async function* groupPages<Page extends RecordPage>(
  shape: Pick<ContactShape, 'unknownCompanies'>,
  pages: AsyncIterable<Page>,
): AsyncGenerator<Page[]> {
  let batch: Page[] = [];
  let records: HubspotRecord[] = [];
  for await (const page of pages) {
    const all = [...records, ...page.records];
    const isTooMuch =
      batch.length === MAX_WAITING_PAGES ||
      shape.unknownCompanies(all).length > COMPANIES_PER_REQUEST;
    if (isTooMuch && batch.length > 0) {
      yield batch;
      batch = [];
      records = [];
    }
    batch.push(page);
    records.push(...page.records);
  }
  if (batch.length > 0) yield batch;
}
