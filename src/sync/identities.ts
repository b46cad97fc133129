/** Reads contacts' identities in a run. Records which fields donor-sync can read now and could read before. */
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

/** The identity fields that donor-sync could read with these settings, now or in an earlier run. */
interface Knowledge {
  /** The fingerprint of the settings that choose the identity columns. */
  columns: string;
  sources: readonly KnownSource[];
}

const knowledgeSchema = z.object({
  columns: z.string(),
  sources: z.array(z.object({ name: z.string(), part: z.enum(['addresses', 'employers']) })),
});

/** Prepares the reading of identities. Records the identity fields that donor-sync can read for the first time. */
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

/** Prepares the reading of identities. Records nothing. */
export async function previewIdentities(
  deps: IdentityDeps,
  run: Pick<Run, 'integration'>,
): Promise<IdentityReader> {
  const shape = deps.connector.identity?.() ?? null;
  const { now } = await learn(deps, run, shape);
  return createReader(deps, shape, now);
}

/**
 * An identity field that donor-sync cannot read, with its name in the CRM. Contacts with a value in this field
 * therefore lack a part of their identity.
 */
export interface MissingSource {
  name: string;
  part: KnownSource['part'];
  /**
   * True if donor-sync could read the field before, with the same settings. Contacts then wait until donor-sync can
   * read the field again.
   */
  wasReadable: boolean;
}

/**
 * Returns the identity fields that donor-sync cannot read now. Either submissions omit these fields, or contacts wait
 * for them.
 */
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
 * Records the fields that donor-sync can read. If the settings choose different columns, deletes the record about the
 * old columns.
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
