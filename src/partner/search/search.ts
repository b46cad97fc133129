import type { PageRequest } from '../pages.ts';
import type { Send } from '../send.ts';
import {
  type SearchFilters,
  type SearchPage,
  type SearchParameters,
  searchByParameters,
  searchDonors,
} from './search-donors.ts';

/**
 * Searching the whole database (service document, section 4.4). Payloads are not documented. Each
 * request, so each page, costs a credit of the searches bucket; a search that the service cannot
 * read is a `PartnerValidationError` or `PartnerBadRequest` and refunded. After `AnswerLost` the
 * credit may be spent.
 */
export interface Search {
  /** By a question in plain English, and where wanted by filters besides. */
  ask(
    question: string,
    options?: PageRequest & { filters?: SearchFilters },
    signal?: AbortSignal,
  ): Promise<SearchPage>;
  /** By filters in the service's own words. */
  byFilters(filters: SearchFilters, page?: PageRequest, signal?: AbortSignal): Promise<SearchPage>;
  /** By the parameters of `GET /search`, in the service's own words. */
  byParameters(
    parameters: SearchParameters,
    page?: PageRequest,
    signal?: AbortSignal,
  ): Promise<SearchPage>;
}

export function createSearch(send: Send): Search {
  return {
    ask: (question, { filters, ...page } = {}, signal) =>
      searchDonors(send, filters ? { question, filters } : { question }, page, signal),
    byFilters: (filters, page = {}, signal) => searchDonors(send, { filters }, page, signal),
    byParameters: (parameters, page = {}, signal) =>
      searchByParameters(send, parameters, page, signal),
  };
}
