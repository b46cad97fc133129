import { z } from 'zod';
import type { HubspotApi } from './api.ts';
import { crmCodeOf } from './errors.ts';
import { readAs } from './json.ts';
import { recordSchema, textIn } from './record.ts';

/** The names of the companies that contacts belong to. */
export interface CompanyNames {
  /** Those that have to be asked for, each once. */
  unknownAmong(ids: readonly string[]): string[];
  /** By id; null for a company without a name, or that cannot be seen. */
  namesOf(ids: readonly string[]): Promise<ReadonlyMap<string, string | null>>;
}

/** Companies of one request: the most that HubSpot takes. */
export const COMPANIES_PER_REQUEST = 100;

/** Names that are remembered; with more companies than that, some are asked for again. */
const MAX_REMEMBERED = 20_000;

/** The name of nothing: what a token without the scope sees. */
export const noCompanyNames: CompanyNames = {
  unknownAmong: () => [],
  namesOf: async () => new Map(),
};

/** Asks for each company once, as long as there is room to remember it. */
export function createCompanyNames(
  api: Pick<HubspotApi, 'post' | 'paths'>,
  { isRequired, onMissingScope }: { isRequired: boolean; onMissingScope: () => void },
): CompanyNames {
  const known = new Map<string, string | null>();
  let isHidden = false;

  return {
    unknownAmong,
    async namesOf(ids) {
      const missing = unknownAmong(ids);
      for (let start = 0; start < missing.length && !isHidden; start += COMPANIES_PER_REQUEST) {
        await learn(missing.slice(start, start + COMPANIES_PER_REQUEST));
      }
      const names = new Map(ids.map((id) => [id, known.get(id) ?? null]));
      forgetOldest(known);
      return names;
    },
  };

  function unknownAmong(ids: readonly string[]): string[] {
    return isHidden ? [] : [...new Set(ids)].filter((id) => !known.has(id));
  }

  async function learn(ids: readonly string[]): Promise<void> {
    try {
      const found = await readNames(api, ids);
      for (const id of ids) known.set(id, found.get(id) ?? null);
    } catch (error) {
      if (isRequired || crmCodeOf(error) !== 'MISSING_SCOPES') throw error;
      isHidden = true;
      onMissingScope();
    }
  }
}

const replySchema = z.object({ results: z.array(recordSchema) });

async function readNames(
  api: Pick<HubspotApi, 'post' | 'paths'>,
  ids: readonly string[],
): Promise<Map<string, string | null>> {
  const body = {
    inputs: ids.map((id) => ({ id })),
    properties: ['name'],
    propertiesWithHistory: [],
  };
  const { results } = readAs(replySchema, await api.post(api.paths.batchRead('companies'), body));
  return new Map(results.map((record) => [record.id, textIn(record, 'name')]));
}

/** A map gives its keys in the order in which they came. */
function forgetOldest(known: Map<string, unknown>): void {
  for (const id of known.keys()) {
    if (known.size <= MAX_REMEMBERED) return;
    known.delete(id);
  }
}
