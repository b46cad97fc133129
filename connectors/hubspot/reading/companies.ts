import type { HubspotApi } from '../api.ts';
import { getCrmCode } from '../errors.ts';
import { findRecords, IDS_PER_REQUEST } from '../find-records.ts';
import { textIn } from '../record.ts';
import type { SignIn } from '../sign-in/auth.ts';
import { mayHave, READ_COMPANIES } from '../sign-in/scopes.ts';

/** Finds the names of the companies that contacts belong to. */
export interface CompanyNames {
  /** False if the token may not see companies, as far as HubSpot has reported. */
  isReadable(): boolean;
  /** Returns the companies that have to be requested, each of them once. */
  unknownAmong(ids: readonly string[]): string[];
  /**
   * Returns names by ID. Null for a company that no longer exists or has no name. A company that may not be seen is
   * left out. Its name is unknown, which does not mean that there is no employer.
   */
  findNames(ids: readonly string[]): Promise<ReadonlyMap<string, string | null>>;
}

/** How many companies are in one request, which is HubSpot's maximum. */
export const COMPANIES_PER_REQUEST = IDS_PER_REQUEST;

/** How many names are cached. If there are more companies, some are requested again. */
const MAX_REMEMBERED = 20_000;

/** The companies, as a token without the scope sees them. */
export const hiddenCompanies: CompanyNames = {
  isReadable: () => false,
  unknownAmong: () => [],
  findNames: async () => new Map(),
};

/** True if the token may see companies. If its scopes are unknown, this costs one request. */
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
 * Requests each company once, as long as there is room in the cache. The scope may be withdrawn during a run.
 * Names that are not known by then stay unknown, unless they are required.
 */
export function createCompanyNames(
  api: Pick<HubspotApi, 'readRecords'>,
  { isRequired, onMissingScope }: { isRequired: boolean; onMissingScope: () => void },
): CompanyNames {
  const known = new Map<string, string | null>();
  /** Companies with a request in flight, for any reading. */
  const asked = new Map<string, Promise<ReadonlyMap<string, string | null>>>();
  let isHidden = false;

  return {
    isReadable: () => !isHidden,
    unknownAmong,
    async findNames(ids) {
      const others = new Set(ids.flatMap((id) => asked.get(id) ?? []));
      const missing = unknownAmong(ids);
      // Copied before each wait, because another reading may drop them in the meantime.
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

/** Forgets the oldest names. A map lists its keys in the order of insertion. */
function forgetOldest(known: Map<string, unknown>): void {
  for (const id of known.keys()) {
    if (known.size <= MAX_REMEMBERED) return;
    known.delete(id);
  }
}
