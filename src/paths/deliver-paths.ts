/**
 * Writes paths into CRM fields, in the same way as profiles. Only values that differ are written, and users can undo
 * them.
 */
import type { RecordLookup } from '../../connectors/contract.ts';
import { parseOwned } from '../contacts/owned-values.ts';
import { PATH_SOURCES } from '../core/field-map.ts';
import { type FieldPlan, planFields } from '../fields/plan.ts';
import { type KnownRecord, readRecords } from '../fields/records.ts';
import type { FieldEnd } from '../fields/statements/field-end.ts';
import { writeFields } from '../fields/write.ts';
import { type WarmPathValues, warmPathValues } from '../mapping/profile-values.ts';
import { forgottenFingerprint, looksErased, refreshErased } from '../sync/control/erased.ts';
import type { WarmPath } from './best-path.ts';
import type { InsightDeps, InsightRun } from './insight-deps.ts';
import { calledName, describePath } from './sentence.ts';
import type { ComputedPath, StoredPath } from './statements/computed-paths.ts';
import { recordComputedPaths, type StaleContact } from './statements/warm-paths.ts';
import { roundedStrength } from './strength.ts';

/** A contact whose connections are known. */
export interface Found {
  contact: StaleContact;
  path: WarmPath | null;
}

/** Writes the differences into the CRM, and records the paths and the results. */
export async function deliverPaths(
  deps: InsightDeps,
  run: InsightRun,
  found: readonly Found[],
): Promise<void> {
  if (found.length === 0) return;
  const { store } = deps;
  const fields = pathFields(run);
  const fingerprinted = found.map((each) => ({ ...each, inCrm: fingerprintPath(deps, each) }));
  const written = new Map<string, FieldEnd>();
  const size = deps.connector.capabilities.writeBatch.max;
  const open = fingerprinted.filter((each) => mayDiffer(each, fields));
  const lookedUp = new Set(open.map(({ contact }) => contact.crmId));
  for (let start = 0; start < open.length; start += size) {
    const some = open.slice(start, start + size);
    for (const [crmId, write] of await writePaths(deps, run, some)) written.set(crmId, write);
  }
  const computed = fingerprinted.flatMap(({ contact, path, inCrm }): ComputedPath[] => {
    const { crmId, donorId } = contact;
    const write = written.get(crmId) ?? null;
    // donor-sync must not write to this contact now. donor-sync computes the path again when it may write to the
    // contact.
    if (write === null && lookedUp.has(crmId)) return [];
    return [{ crmId, donorId, path: storedPath(path), inCrm, written: write }];
  });
  await store.checkpoint(run.lease, (trx) => recordComputedPaths(trx, run.id, computed));
}

interface Fingerprinted extends Found {
  /** The fingerprint of the values that the CRM should contain. */
  inCrm: string;
}

function fingerprintPath({ store }: InsightDeps, { path }: Found): string {
  return store.fingerprint('warm_path', path === null ? '' : pathText(path));
}

function pathFields({ mappings }: Pick<InsightRun, 'mappings'>): string[] {
  return mappings.filter(({ from }) => PATH_SOURCES.includes(from)).map(({ to }) => to);
}

/**
 * True if the CRM may contain different values. False if the CRM contains the same values. Also false if there is
 * neither a path to write nor an old value of donor-sync to clear.
 */
function mayDiffer({ contact, path, inCrm }: Fingerprinted, fields: readonly string[]): boolean {
  if (fields.length === 0 || contact.inCrm === inCrm) return false;
  const owned = parseOwned(contact.ownedValues);
  return path !== null || fields.some((field) => Object.hasOwn(owned, field));
}

async function writePaths(
  deps: InsightDeps,
  run: InsightRun,
  found: readonly Fingerprinted[],
): Promise<Map<string, FieldEnd>> {
  const crmIds = found.map(({ contact }) => contact.crmId);
  const owned = new Map(found.map(({ contact }) => [contact.crmId, contact.ownedValues]));
  const getRecord = await readRecords(deps, run, crmIds, (crmId) =>
    parseOwned(owned.get(crmId) ?? '{}'),
  );
  await refreshErased(deps, run);
  const plans = found.flatMap((each) => {
    const { crmId } = each.contact;
    const { lookup, ...known } = getRecord(crmId);
    // The next reading handles contacts that have left the CRM or have a mark. Until the next reading, the values of
    // these contacts remain unchanged.
    if (lookup?.state !== 'found') return [];
    if (lookup.contact.optedOut || lookup.contact.excluded) return [];
    // donor-sync writes nothing to a contact that was erased, or that may be an erased person.
    if (forgottenFingerprint(deps, run, crmId) !== null) return [];
    if (looksErased(deps, run, lookup.contact)) return [];
    return [planPath(deps, run, each, lookup, known)];
  });
  return writeFields(deps, run, plans);
}

function planPath(
  deps: InsightDeps,
  run: InsightRun,
  { contact: { crmId, ownedValues, isIntroducerErased = false }, path }: Found,
  { contact, values }: Extract<RecordLookup, { state: 'found' }>,
  { intended, automated }: Pick<KnownRecord, 'intended' | 'automated'>,
): FieldPlan {
  return planFields(deps, run, {
    crmId,
    values: path === null ? new Map() : warmPathValues(pathValues(path, calledName(contact))),
    present: values,
    ownedBefore: parseOwned(ownedValues),
    automated,
    intended,
    emptied: PATH_SOURCES,
    unkept: isIntroducerErased ? PATH_SOURCES : [],
    introducer: path?.connection.sourceDonor.donorId ?? null,
  });
}

function storedPath(path: WarmPath | null): StoredPath | null {
  if (path === null) return null;
  const { connection, network, people, connecting } = path;
  return {
    strength: connection.strength,
    people,
    introducerId: connection.sourceDonor.donorId,
    networkId: network.networkId,
    connecting,
  };
}

/** Returns the field values of a path. The sentence uses the contact's name. */
export function pathValues(
  { connection, network, people }: WarmPath,
  calledName: string,
): WarmPathValues {
  return {
    strength: roundedStrength(connection.strength),
    introducer: connection.sourceDonor.name,
    network: network.name,
    via: connection.entityName ?? connection.snippet,
    sentence: describePath({ connection, network: network.name, people, calledName }),
  };
}

/**
 * Returns a path's whole content as text, without the contact's own name. If this text has not changed, the CRM already
 * contains the path.
 */
function pathText(path: WarmPath): string {
  return JSON.stringify(pathValues(path, ''));
}
