import type { HubspotApi } from '../api.ts';
import { getCrmCode } from '../errors.ts';
import { findRecords, IDS_PER_REQUEST } from '../find-records.ts';
import { textIn } from '../record.ts';
import type { SignIn } from '../sign-in/auth.ts';
import { mayHave, READ_COMPANIES } from '../sign-in/scopes.ts';

/** Finds the names of the companies that contacts belong to. */
export interface CompanyNames {
  /** False if HubSpot has reported that the token cannot see companies. */
  isReadable(): boolean;
  /** Returns the companies that have to be requested, without repetitions. */
  unknownAmong(ids: readonly string[]): string[];
  /**
   * Null for a company without a name or a deleted company. Companies that the token cannot see are left out. Such a
   * contact may still have an employer.
   */
  findNames(ids: readonly string[]): Promise<ReadonlyMap<string, string | null>>;
}

/** The number of companies in one request. This is HubSpot's maximum. */
export const COMPANIES_PER_REQUEST = IDS_PER_REQUEST;

/** The number of names that are cached. If there are more, some are requested again. */
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

/** Requests each company once while the cache has room. A user may withdraw the scope during a run. */
export function createCompanyNames(
  api: Pick<HubspotApi, 'readRecords'>,
  { isRequired, onMissingScope }: { isRequired: boolean; onMissingScope: () => void },
): CompanyNames {
  const known = new Map<string, string | null>();
  /** The companies that are being requested. All readings share them. */
  const asked = new Map<string, Promise<ReadonlyMap<string, string | null>>>();
  let isHidden = false;

  return {
    isReadable: () => !isHidden,
    unknownAmong,
    async findNames(ids) {
      const others = new Set(ids.flatMap((id) => asked.get(id) ?? []));
      const missing = unknownAmong(ids);
      // Copied, because another reading may drop them during a wait.
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
