import type { HubspotApi } from '../api.ts';
import { getCrmCode } from '../errors.ts';
import { findRecords, IDS_PER_REQUEST } from '../find-records.ts';
import { textIn } from '../record.ts';
import type { SignIn } from '../sign-in/auth.ts';
import { mayHave, READ_COMPANIES } from '../sign-in/scopes.ts';

/** Finds the names of the companies that contacts belong to. */
export interface CompanyNames {
  /** Returns false if HubSpot has reported that the token cannot see companies. */
  isReadable(): boolean;
  /** Returns the IDs of companies whose names are not cached, without repetitions. */
  unknownAmong(ids: readonly string[]): string[];
  /**
   * Returns the names of companies. The name is null for a deleted company or for a company without a name. Companies
   * that the token cannot see are left out. The contacts of hidden companies may have an employer.
   */
  findNames(ids: readonly string[]): Promise<ReadonlyMap<string, string | null>>;
}

/** The maximum number of companies in one request. HubSpot sets this limit. */
export const COMPANIES_PER_REQUEST = IDS_PER_REQUEST;

/** The maximum number of cached names. If an account has more companies, some names are requested again. */
const MAX_REMEMBERED = 20_000;

/** The result for a token that lacks the scope for companies. Without the scope, all company names are hidden. */
export const hiddenCompanies: CompanyNames = {
  isReadable: () => false,
  unknownAmong: () => [],
  findNames: async () => new Map(),
};

/** Returns true if the token may see companies. If the token's scopes are unknown, sends one request. */
export async function mayReadCompanies(
  api: Pick<HubspotApi, 'listRecords'>,
  signIn: Pick<SignIn, 'scopes'>,
): Promise<boolean> {
  if (signIn.scopes !== null) return mayHave(signIn, READ_COMPANIES);
  try {
    await api.listRecords('companies', { limit: 1 });
    return true;
  } catch (error) {
    if (getCrmCode(error) === 'MISSING_SCOPES') return false;
    throw error;
  }
}

/**
 * Creates a cache that requests each company only once, as long as it has room. A user may withdraw the scope during a
 * run.
 */
export function createCompanyNames(
  api: Pick<HubspotApi, 'readRecords'>,
  { isRequired, onMissingScope }: { isRequired: boolean; onMissingScope: () => void },
): CompanyNames {
  const known = new Map<string, string | null>();
  /** The companies that are being requested at the moment. All readings share the requests for companies. */
  const asked = new Map<string, Promise<ReadonlyMap<string, string | null>>>();
  let isHidden = false;

  return {
    isReadable: () => !isHidden,
    unknownAmong,
    async findNames(ids) {
      const others = new Set(ids.flatMap((id) => asked.get(id) ?? []));
      const missing = unknownAmong(ids);
      // The function copies the names, because another reading may remove them from the cache during the wait.
      const names = knownAmong(ids);
      for (let start = 0; start < missing.length && !isHidden; start += COMPANIES_PER_REQUEST) {
        const batch = missing.slice(start, start + COMPANIES_PER_REQUEST);
        for (const [id, name] of await ask(batch)) names.set(id, name);
      }
      for (const other of others) for (const [id, name] of await other) names.set(id, name);
      forgetOldest(known);
      return names;
    },
  };

  function unknownAmong(ids: readonly string[]): string[] {
    return isHidden ? [] : [...new Set(ids)].filter((id) => !known.has(id) && !asked.has(id));
  }

  function knownAmong(ids: readonly string[]): Map<string, string | null> {
    const names = new Map<string, string | null>();
    for (const id of ids) {
      const name = known.get(id);
      if (name !== undefined) names.set(id, name);
    }
    return names;
  }

  async function ask(ids: readonly string[]): Promise<ReadonlyMap<string, string | null>> {
    const answer = learn(ids);
    for (const id of ids) asked.set(id, answer);
    try {
      return await answer;
    } finally {
      for (const id of ids) asked.delete(id);
    }
  }

  async function learn(ids: readonly string[]): Promise<ReadonlyMap<string, string | null>> {
    try {
      const found = await findRecords(api, 'companies', ids, ['name']);
      for (const [id, one] of found) {
        known.set(id, one.state === 'gone' ? null : textIn(one.record, 'name'));
      }
    } catch (error) {
      if (isRequired || getCrmCode(error) !== 'MISSING_SCOPES') throw error;
      isHidden = true;
      onMissingScope();
    }
    return knownAmong(ids);
  }
}

/** Removes the oldest names from the cache. A JavaScript map lists its keys in the order of insertion. */
function forgetOldest(known: Map<string, unknown>): void {
  for (const id of known.keys()) {
    if (known.size <= MAX_REMEMBERED) return;
    known.delete(id);
  }
}
