import { z } from 'zod';
import { type DonorSummary, donorSummaryShape, toDonorSummary, withDonorId } from './donors.ts';
import { parseReply, type Reply } from './reply.ts';
import { operation } from './routes.ts';
import type { Send } from './send.ts';
import { listUnder, nextCursorSchema, type Page, type PageRequest, pageQuery } from './wire.ts';

/**
 * Searches the service's whole database (service document, section 4.4). The document does not describe the payloads.
 * Each page of results costs a credit from the searches bucket. If the service cannot read a search, it refunds the
 * credit, and the method throws `PartnerValidationError` or `PartnerBadRequest`. After `AnswerLost`, the credit may
 * have been spent.
 */
export interface Search {
  /** Searches for donors with a question in plain English and, optionally, with filters. */
  ask(
    question: string,
    options?: PageRequest & { filters?: SearchFilters },
    signal?: AbortSignal,
  ): Promise<SearchPage>;
  /** Searches with the service's own filters. */
  byFilters(filters: SearchFilters, page?: PageRequest, signal?: AbortSignal): Promise<SearchPage>;
  /** Searches with the service's own parameters of `GET /search`. */
  byParameters(
    parameters: SearchParameters,
    page?: PageRequest,
    signal?: AbortSignal,
  ): Promise<SearchPage>;
}

/**
 * Conditions for donors. The service's openapi.json lists them, but the document does not. donor-sync therefore passes
 * them on unchanged.
 */
export type SearchFilters = Readonly<Record<string, unknown>>;

/** Conditions for donors as query parameters. A parameter with a list is repeated. */
export type SearchParameters = Readonly<
  Record<string, string | number | boolean | readonly string[]>
>;

export interface FoundDonor extends DonorSummary {
  /** The reasons why the search found this donor, as text for display. Empty if the service gives no reasons. */
  matched: readonly string[];
}

/** A page of donors, best match first, together with the service's interpretation of the question. */
export interface SearchPage extends Page<FoundDonor> {
  /** The service's interpretation of the question. Null if the service does not report it. */
  interpretation: SearchInterpretation | null;
}

/** The service's interpretation of a question in plain English. */
export interface SearchInterpretation {
  understood: readonly { text: string; meaning: string | null }[];
  ignored: readonly { text: string; reason: string | null }[];
}

/** The time that the service may need to search all its donors. */
const SEARCH_WORK_MS = 20_000;

const KIND = { charges: 'searches', workMs: SEARCH_WORK_MS, namesThings: false } as const;

export const SEARCH_BY_PARAMETERS = operation('search by parameters', KIND, [
  { method: 'GET', path: '/search' },
]);

export const SEARCH = operation('search', KIND, [{ method: 'POST', path: '/search' }]);

export function createSearch(send: Send): Search {
  return {
    ask: (question, { filters, ...page } = {}, signal) =>
      search({ query: question, filters }, page, signal),
    byFilters: (filters, page = {}, signal) => search({ filters }, page, signal),
    async byParameters(parameters, page = {}, signal) {
      const query = pageQuery(page);
      for (const [name, value] of Object.entries(parameters)) {
        for (const one of [value].flat()) query.append(name, String(one));
      }
      return searchPageIn(await send(SEARCH_BY_PARAMETERS, { query }, signal));
    },
  };

  /** Searches by a question, by filters, or by both. */
  async function search(
    sought: { query?: string; filters?: SearchFilters | undefined },
    { limit, cursor }: PageRequest,
    signal: AbortSignal | undefined,
  ): Promise<SearchPage> {
    return searchPageIn(await send(SEARCH, { fields: { ...sought, limit, cursor } }, signal));
  }
}

const foundSchema = withDonorId(
  z.object({ ...donorSummaryShape, matched: z.array(z.string()).nullish().catch(null) }),
).transform((wire): FoundDonor => ({ ...toDonorSummary(wire), matched: wire.matched ?? [] }));

const textSchema = z.string().nullish();

const understoodSchema = z
  .object({ text: z.string(), meaning: textSchema })
  .transform(({ text, meaning }) => ({ text, meaning: meaning ?? null }));

const ignoredSchema = z
  .object({ text: z.string(), reason: textSchema })
  .transform(({ text, reason }) => ({ text, reason: reason ?? null }));

/** The interpretation of the question. It is optional. Only the results are required. */
const interpretationSchema = z
  .object({
    interpretation: z.object({
      understood: z.array(understoodSchema),
      ignored: z.array(ignoredSchema),
    }),
  })
  .transform(({ interpretation }): SearchInterpretation | null => interpretation)
  .catch(null);

function searchPageIn(reply: Reply): SearchPage {
  return {
    entries: parseReply(listUnder('donors', foundSchema), reply),
    nextCursor: parseReply(nextCursorSchema, reply),
    interpretation: parseReply(interpretationSchema, reply),
  };
}
