import { FatalError } from '../../src/core/errors.ts';
import { throwIfStopped } from '../errors.ts';
import { COMPANIES_PER_REQUEST } from './companies.ts';
import type { ContactShape } from './contact.ts';
import { readAs } from './errors.ts';
import { type HubspotRecord, recordPageSchema } from './record.ts';
import type { HubspotSession } from './session.ts';

/** One page of the full list. */
export interface ListPage {
  records: readonly HubspotRecord[];
  /** HubSpot's word for where the next page begins; null after the last one. */
  next: string | null;
}

/** Contacts of one page: the most that HubSpot gives. */
const PAGE_SIZE = 100;

/** Pages of the list; ten million contacts. */
const MAX_PAGES = 100_000;

/** Pages that wait at most until their companies are asked for together. */
const MAX_WAITING_PAGES = 10;

/** All contacts in the order of their ids, from where `after` points or from the first. */
export async function* listPages(
  { api, shape, signal }: Pick<HubspotSession, 'api' | 'shape' | 'signal'>,
  after: string | null,
): AsyncGenerator<ListPage> {
  let position = after;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    throwIfStopped(signal);
    const path: string = pathOf(api.paths.objects('contacts'), shape.properties, position);
    const { results, paging } = readAs(recordPageSchema, await api.get(path));
    const next: string | null = paging?.next?.after ?? null;
    yield { records: results, next };
    if (next === null) return;
    if (next === position) break;
    position = next;
  }
  throw new FatalError('The contacts of HubSpot do not come to their end.', {
    code: 'crm_reading_endless',
  });
}

function pathOf(path: string, properties: readonly string[], after: string | null): string {
  const query = new URLSearchParams({
    limit: String(PAGE_SIZE),
    properties: properties.join(','),
    archived: 'false',
  });
  if (after !== null) query.set('after', after);
  return `${path}?${query}`;
}

/** Puts pages together as long as one request can tell the names of all their companies. */
export async function* portionsOf(
  shape: Pick<ContactShape, 'unknownCompanies'>,
  pages: AsyncIterable<ListPage>,
): AsyncGenerator<ListPage[]> {
  let portion: ListPage[] = [];
  let records: HubspotRecord[] = [];
  for await (const page of pages) {
    const all = [...records, ...page.records];
    const isTooMuch =
      portion.length === MAX_WAITING_PAGES ||
      shape.unknownCompanies(all).length > COMPANIES_PER_REQUEST;
    if (isTooMuch && portion.length > 0) {
      yield portion;
      portion = [];
      records = [];
    }
    portion.push(page);
    records.push(...page.records);
  }
  if (portion.length > 0) yield portion;
}
