/** Reads contacts' identities in a run, and records which fields can be read now and which could be read before. */
import { z } from 'zod';
import { findIntegrationState, saveIdentitySources } from '../clients/statements/integrations.ts';
import type { IdentityShape } from '../core/identity-shape.ts';
import {
  createIdentityReader,
  type IdentityReader,
  type KnownSource,
} from '../identity/identity-reader.ts';
import type { Run, SyncDeps } from './control/context.ts';

type IdentityDeps = Pick<SyncDeps, 'store' | 'connector'>;

/** The identity fields that could be read under these settings, now or in an earlier run. */
interface Knowledge {
  /** The fingerprint of the settings that choose the identity columns. */
  columns: string;
  sources: readonly KnownSource[];
}

const knowledgeSchema = z.object({
  columns: z.string(),
  sources: z.array(z.object({ name: z.string(), part: z.enum(['addresses', 'employers']) })),
});

/** Prepares the reading of identities. Records the sources that can be read for the first time. */
export async function openIdentities(
  deps: IdentityDeps,
  run: Pick<Run, 'integration' | 'lease'>,
): Promise<IdentityReader> {
  const shape = deps.connector.identity?.() ?? null;
  const { before, now } = await learn(deps, run, shape);
  const text = JSON.stringify(now);
  if (text !== before)
    await deps.store.checkpoint(run.lease, (trx) => saveIdentitySources(trx, text));
  return createReader(deps, shape, now);
}

/** Prepares the reading of identities, and records nothing. */
export async function previewIdentities(
  deps: IdentityDeps,
  run: Pick<Run, 'integration'>,
): Promise<IdentityReader> {
  const shape = deps.connector.identity?.() ?? null;
  const { now } = await learn(deps, run, shape);
  return createReader(deps, shape, now);
}

/**
 * An identity field that cannot be read. Some contacts can therefore not be described. Contains the field's name in the
 * CRM.
 */
export interface MissingSource {
  name: string;
  part: KnownSource['part'];
  /**
   * True if the field was previously readable with these settings. Contacts then wait until the field can be read
   * again.
   */
  wasReadable: boolean;
}

/** Returns the fields that cannot be read now. Submissions omit them, or contacts wait for them. */
export async function missingSources(
  deps: IdentityDeps,
  run: Pick<Run, 'integration'>,
): Promise<MissingSource[]> {
  const shape = deps.connector.identity?.() ?? null;
  const { now } = await learn(deps, run, shape);
  const offered = shape?.sources ?? [];
  const hidden = offered.filter(({ readable }) => !readable);
  const gone = now.sources.filter(({ name }) => !offered.some((source) => source.name === name));
  return [...hidden, ...gone].map(({ name, part }) => ({
    name,
    part,
    wasReadable: now.sources.some((source) => source.name === name),
  }));
}

function createReader(
  { store }: IdentityDeps,
  shape: IdentityShape | null,
  { sources }: Knowledge,
): IdentityReader {
  return createIdentityReader({ fingerprint: store.fingerprint, shape, known: sources });
}

/**
 * Records the readable sources. If the settings choose different columns, the record for the old columns is discarded.
 */
async function learn(
  { store }: IdentityDeps,
  { integration }: Pick<Run, 'integration'>,
  shape: IdentityShape | null,
): Promise<{ before: string | null; now: Knowledge }> {
  const { identitySources: before } = await findIntegrationState(store.reader, integration.id);
  const columns = store.fingerprint(
    'identity_columns',
    JSON.stringify([integration.crm.kind, shape?.columns ?? '']),
  );
  const known = parseKnowledge(before);
  const sources = new Map(
    (known?.columns === columns ? known.sources : []).map((source) => [source.name, source]),
  );
  for (const { name, part, readable } of shape?.sources ?? []) {
    if (readable) sources.set(name, { name, part });
  }
  return { before, now: { columns, sources: [...sources.values()] } };
}

function parseKnowledge(text: string | null): Knowledge | null {
  return text === null ? null : knowledgeSchema.parse(JSON.parse(text));
}
