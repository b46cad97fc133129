/** Checks that no other program has changed, added or removed audit entries. */
import { isoTime } from '../../core/clock.ts';
import { isDonorSyncError, messageOf } from '../../core/errors.ts';
import { describeCount } from '../../core/quantities.ts';
import type { Sealer } from '../../database/encryption/sealed.ts';
import { listForeignParts } from '../../database/foreign-parts.ts';
import { isPartMissing } from '../../database/store-error.ts';
import type { TableName } from '../../database/tables/catalogue.ts';
import type { Tables } from '../../database/tables/tables.ts';
import { type Blocks, describeChangedBlocks, readBlocks } from './blocks.ts';
import {
  auditSealer,
  birthMark,
  CHAIN_START,
  chainHash,
  keySealContext,
  placeMark,
} from './chain.ts';
import { openEntryBody, toTime } from './entry-body.ts';
import { type AuditPlace, type AuditSource, readBirth, readHead } from './read-audit.ts';
import type { AuditAction } from './record.ts';

export interface AuditCheck {
  /** The number of checked entries. */
  entries: number;
  /**
   * The end of the chain. A user can save it elsewhere, and it later proves that no entry before this end is missing.
   */
  end: AuditPlace | null;
  /** The number of the last entry that a purge has deleted, or 0 if no entry was purged. */
  purgedThrough: number;
  /** The problems as sentences. The list contains at most `MAX_PROBLEMS` problems. */
  problems: string[];
}

const EMPTIED = 'There are no entries, although there were some before: the audit was emptied.';

const BEGUN_AGAIN =
  "The audit was emptied, and a new chain was started: its first entry is not the one in the audit's birth record.";

const BIRTH_GONE =
  "The audit's birth record is missing, although the first entry was recorded with one: it was deleted.";

const BIRTH_FORGED = "The audit's birth record was not signed by donor-sync.";

const BEGUN_LATE =
  'Tokens, users or runs are older than every entry: the audit was emptied, and a new chain was started.';

const UNREAD = 'No entry was checked, because data from such tables proves nothing.';

/** The tables of the audit, and the blocks of erased people. */
const TABLES = [
  ...(['audit_entries', 'audit_keys', 'audit_head', 'chain_births', 'forgotten'] as const),
] satisfies TableName[];

/** The maximum time by which a row may be older than the audit entry that was created together with it. */
const SAME_MOMENT_MS = 60_000;

/** Actions whose entries list destroyed keys of contacts. */
const DESTROYING = ['forget.done', 'hold.decided'] as const satisfies readonly AuditAction[];

/** Actions whose entries may contain a hash of the blocks of erased people. The first entry also contains this hash. */
const SEALING_BLOCKS = [
  ...(['forget.begun', 'forget.done', 'forget.lifted', 'hold.decided', 'audit.purged'] as const),
] satisfies AuditAction[];

const MAX_PROBLEMS = 20;
const ROWS_AT_ONCE = 500;

/** The state of the audit during the check. */
interface Audit extends AuditSource {
  readonly sealer: Sealer;
}

/**
 * Checks the whole chain. `known` is a position that a user saved earlier. If the chain lacks this position, someone
 * has removed and replaced the last entries. `onChecked` receives the number of checked entries and the total number,
 * and may delay the check.
 */
export async function verifyAudit(
  { reader, fingerprint }: AuditSource,
  known: AuditPlace | null = null,
  onChecked: (entries: number, of: number) => Promise<void> = async () => {},
): Promise<AuditCheck> {
  const audit = { reader, fingerprint, sealer: auditSealer(fingerprint) };
  try {
    const foreign = await listForeignParts(reader, TABLES);
    const problems = foreign.map(({ text }) => inOneLine(text));
    if (foreign.some(({ isOfTable }) => isOfTable)) {
      return { entries: 0, end: null, purgedThrough: 0, problems: [...problems, UNREAD] };
    }
    const check = await checkWhileNothingIsPurged(audit, known, onChecked);
    return { ...check, problems: [...problems, ...check.problems].slice(0, MAX_PROBLEMS) };
  } catch (error) {
    if (!isPartMissing(error)) throw error;
    const problems = [messageOf(error)];
    return { entries: 0, end: null, purgedThrough: 0, problems };
  }
}

async function checkWhileNothingIsPurged(
  audit: Audit,
  known: AuditPlace | null,
  onChecked: (entries: number, of: number) => Promise<void>,
): Promise<AuditCheck> {
  for (;;) {
    const before = await readHead(audit);
    const check = await checkChain(audit, before, known, onChecked);
    const after = await readHead(audit);
    // A purge may have deleted entries before this check could read them.
    if (before?.purged_seq === after?.purged_seq) return check;
  }
}

async function checkChain(
  audit: Audit,
  head: Awaited<ReturnType<typeof readHead>>,
  known: AuditPlace | null,
  onChecked: (entries: number, of: number) => Promise<void>,
): Promise<AuditCheck> {
  const problems: string[] = [];
  const wrong = (problem: string) => {
    if (problems.length < MAX_PROBLEMS) problems.push(inOneLine(problem));
  };
  const purged = { seq: head?.purged_seq ?? 0, hash: head?.purged_hash ?? CHAIN_START };
  if (
    purged.seq > 0 &&
    head?.purged_mark !== placeMark(audit.fingerprint, 'audit_purged', purged)
  ) {
    wrong('The start of the chain since the last purge was not signed by donor-sync.');
  }
  for (const strange of await findStrangeRows(audit, purged.seq)) wrong(strange);
  let { seq, hash } = purged;
  let entries = 0;
  let firstHash: string | null = null;
  let firstSeq: number | null = null;
  let isBroken = false;
  let isKnownThere = known === null || known.seq < purged.seq;
  const noteKnown = async () => {
    if (known?.seq !== seq) return;
    isKnownThere = true;
    if (known.hash !== hash)
      wrong(`Entry ${seq} differs from the end that you saved earlier.${await restoreText(audit)}`);
  };
  await noteKnown();
  for (;;) {
    const rows = await readAfter(audit, seq, head?.seq ?? null);
    for (const row of rows) {
      if (row.seq !== seq + 1) {
        isBroken = true;
        wrong(
          seq === 0
            ? `The chain starts at entry ${row.seq}, and no purge is on record. Either the entries before it or the record of a purge were removed.`
            : Number.isInteger(row.seq)
              ? `Entries are missing: ${row.seq} follows ${seq}.`
              : `Entry ${row.seq} was added by another program.`,
        );
      } else if (row.hash !== chainHash(audit.fingerprint, hash, chained(row))) {
        wrong(`Entry ${row.seq} was changed, or added by another program.`);
      }
      seq = row.seq;
      hash = row.hash;
      if (row.seq === 1) firstHash = row.hash;
      firstSeq ??= row.seq;
      entries += 1;
      await noteKnown();
    }
    if (rows.length === 0) break;
    await onChecked(entries, (head?.seq ?? seq) - purged.seq);
  }
  const birth = await readBirth(audit);
  if (birth !== null && birth.mark !== birthMark(audit.fingerprint, birth)) wrong(BIRTH_FORGED);
  // A purge deletes the oldest entries of the chain. The first entry is then gone, but its birth record remains.
  if (birth === null && (purged.seq > 0 || (await wasBornOnRecord(audit)))) wrong(BIRTH_GONE);
  const isOther = birth !== null && firstHash !== null && firstHash !== birth.hash;
  if (isOther) wrong(BEGUN_AGAIN);
  else if (firstSeq === 1 && (await hasBegunLate(audit))) wrong(BEGUN_LATE);
  const changed = await countChangedKeys(audit);
  if (changed > 0) {
    wrong(
      `Keys of ${describeCount(changed, 'contact')} were changed or added by another program, so entries about them can no longer be read.`,
    );
  }
  for (const keys of await findMovedKeys(audit, isBroken || !isKnownThere)) wrong(keys);
  const changedBlocks = await findChangedBlocks(audit);
  if (changedBlocks !== null) wrong(changedBlocks);
  const end = { seq, hash };
  if (head === null) {
    if (entries > 0) wrong('The row with the end of the chain is missing.');
    else if (birth !== null || (await hasAuditedRows(audit))) wrong(EMPTIED);
  } else if (
    head.seq !== seq ||
    head.hash !== hash ||
    head.mark !== placeMark(audit.fingerprint, 'audit_end', end)
  ) {
    wrong(`The chain ends at entry ${seq}, which is not the end that donor-sync has signed.`);
  }
  const beyond = await findBeyond(audit);
  if (beyond !== null) {
    wrong(`Entry ${beyond} is after the end of the chain: it is forged, or the end was set back.`);
  }
  // If someone set the end of the chain back, the entry may still exist after this end. The check has already reported
  // this problem.
  if (!isKnownThere && beyond !== known?.seq) {
    const missing = `Entry ${known?.seq}, the end that you saved earlier, is missing.`;
    wrong(missing + (await restoreText(audit)));
  }
  return { entries, end: head === null ? null : end, purgedThrough: purged.seq, problems };
}

/** Finds rows that a different program has added to the tables of the chain. */
async function findStrangeRows(audit: Audit, purgedSeq: number): Promise<string[]> {
  const problems: string[] = [];
  const before = await audit.reader
    .selectFrom('audit_entries')
    .select('seq')
    .where('seq', '<=', purgedSeq)
    .orderBy('seq')
    .limit(MAX_PROBLEMS)
    .execute();
  for (const { seq } of before) {
    problems.push(`Entry ${seq} is before the start of the chain. Another program added it.`);
  }
  const others = [
    ...(await audit.reader.selectFrom('audit_head').select('id').where('id', '<>', 1).execute()),
    ...(await audit.reader.selectFrom('chain_births').select('id').where('id', '<>', 1).execute()),
  ];
  if (others.length > 0) {
    problems.push('The record of the chain has a second row, which donor-sync did not create.');
  }
  return problems;
}

/**
 * Describes a restore, which can remove entries. The audit entry about the restore contains the time, and nobody can
 * forge this entry.
 */
async function restoreText(audit: Audit): Promise<string> {
  const restore = await audit.reader
    .selectFrom('audit_entries')
    .select(['seq', 'at'])
    .where('action', '=', 'database.restored')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (restore === undefined) return ' The audit has no record of a restore that would explain it.';
  return ` A backup was restored on ${isoTime(toTime(restore.at)).slice(0, 10)} (entry ${restore.seq}). That explains it only if you saved the end before that day.`;
}

/**
 * Finds entries after the end of the chain. Reads the entries and the end in one statement. A transaction always writes
 * an entry and the end together, even during this check.
 */
async function findBeyond(audit: Audit): Promise<number | null> {
  const found = await audit.reader
    .selectFrom('audit_entries')
    .select('seq')
    .where('seq', '>', (eb) => eb.selectFrom('audit_head').select('seq').where('id', '=', 1))
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst();
  return found?.seq ?? null;
}

/** True if the database contains a row that is always created together with an audit entry. */
async function hasAuditedRows(audit: Audit): Promise<boolean> {
  const token = await audit.reader
    .selectFrom('access_tokens')
    .select('id')
    .limit(1)
    .executeTakeFirst();
  const person = await audit.reader.selectFrom('people').select('id').limit(1).executeTakeFirst();
  return token !== undefined || person !== undefined;
}

/** True if a row that was created together with an audit entry is older than every audit entry. */
async function hasBegunLate(audit: Audit): Promise<boolean> {
  // Uses the earliest time of all entries, because the first entry's time may come from a host with a wrong clock.
  const first = await audit.reader
    .selectFrom('audit_entries')
    .select((eb) => eb.fn.min('at').as('at'))
    .executeTakeFirst();
  const before = (first?.at ?? 0) - SAME_MOMENT_MS;
  const older = await Promise.all([
    audit.reader
      .selectFrom('access_tokens')
      .select('id')
      .where('created_at', '<', before)
      .limit(1)
      .execute(),
    audit.reader
      .selectFrom('people')
      .select('id')
      .where('created_at', '<', before)
      .limit(1)
      .execute(),
    audit.reader
      .selectFrom('runs')
      .select('id')
      .where('started_at', '<', before)
      .limit(1)
      .execute(),
  ]);
  return older.some((rows) => rows.length > 0);
}

/** True if the first entry states that donor-sync created a birth record together with it. */
async function wasBornOnRecord(audit: Audit): Promise<boolean> {
  const first = await audit.reader
    .selectFrom('audit_entries')
    .select(['seq', 'sealed'])
    .where('seq', '=', 1)
    .executeTakeFirst();
  return first !== undefined && openIfGenuine(audit, first)?.born === true;
}

/**
 * Compares the blocks with the last entry that contains a hash of the blocks. Returns null if the blocks match, or if
 * no entry contains a hash.
 */
async function findChangedBlocks(audit: Audit): Promise<string | null> {
  for (;;) {
    const sealed = await findSealedBlocks(audit);
    if (sealed === null) return null;
    const now = await readBlocks(audit.reader, audit.fingerprint);
    // Since then, an erasure has recorded a new state of the blocks.
    if ((await findSealedBlocks(audit))?.hash !== sealed.hash) continue;
    return describeChangedBlocks(sealed, now);
  }
}

async function findSealedBlocks(audit: Audit): Promise<Blocks | null> {
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const rows = await audit.reader
      .selectFrom('audit_entries')
      .select(['seq', 'sealed'])
      .where('seq', '<', before)
      .where((eb) => eb.or([eb('action', 'in', SEALING_BLOCKS), eb('seq', '=', 1)]))
      .orderBy('seq', 'desc')
      .limit(ROWS_AT_ONCE)
      .execute();
    for (const row of rows) {
      before = row.seq;
      const blocks = openIfGenuine(audit, row)?.blocks ?? null;
      if (blocks !== null) return blocks;
    }
    if (rows.length === 0) return null;
  }
}

/**
 * Decrypts an entry. Returns null if someone changed the entry, because the check reports changed entries elsewhere.
 */
function openIfGenuine(audit: Audit, { seq, sealed }: { seq: number; sealed: string }) {
  try {
    return openEntryBody(audit.sealer, { seq, sealed });
  } catch (error) {
    if (isDonorSyncError(error)) return null;
    throw error;
  }
}

/**
 * Returns the number of keys that cannot be decrypted in their row. Each audit key is bound to its ID, client and
 * contact, so a moved key cannot be decrypted.
 */
async function countChangedKeys(audit: Audit): Promise<number> {
  let changed = 0;
  let after: string | null = null;
  for (;;) {
    const rows: Tables['audit_keys'][] = await audit.reader
      .selectFrom('audit_keys')
      .selectAll()
      .$if(after !== null, (query) => query.where('id', '>', after ?? ''))
      .orderBy('id')
      .limit(ROWS_AT_ONCE)
      .execute();
    for (const { id, integration_id: integrationId, crm_id: crmId, sealed } of rows) {
      after = id;
      if (!opens(audit, sealed, { id, integrationId, crmId })) changed += 1;
    }
    if (rows.length === 0) return changed;
  }
}

function opens(audit: Audit, sealed: string, place: Parameters<typeof keySealContext>[0]): boolean {
  try {
    audit.sealer.open(sealed, keySealContext(place));
    return true;
  } catch (error) {
    if (isDonorSyncError(error)) return false;
    throw error;
  }
}

/**
 * Reports keys that are missing although no recorded erasure has destroyed them. Also reports audit keys that should
 * not exist.
 */
async function findMovedKeys(audit: Audit, areEntriesGone: boolean): Promise<string[]> {
  // This order matters. If an erasure happens now, its entry exists before the keys are checked again.
  const lost = await listLostKeys(audit);
  const destroyed = await findDestroyedKeys(audit);
  const strange = await countStrangeKeys(audit, destroyed);
  const taken = lost.filter((id) => !destroyed.has(id)).length;
  return [
    ...(taken === 0
      ? []
      : [
          areEntriesGone
            ? `Keys of ${describeCount(taken, 'contact')} are missing. Either someone removed them, or these contacts were erased and the entries about that are gone. In the second case, possibly nothing blocks these contacts any longer.`
            : `Keys of ${describeCount(taken, 'contact')} are missing although no recorded erasure destroyed them, so entries about them can no longer be read.`,
        ]),
    ...(strange === 0
      ? []
      : [
          `There are keys of ${describeCount(strange, 'contact')} that were destroyed or that no entry needs. Another program added them.`,
        ]),
  ];
}

/**
 * Returns the IDs of missing keys that entries need. Excludes the keys of clients whose erasure has started since then.
 */
async function listLostKeys(audit: Audit): Promise<string[]> {
  const lost = await audit.reader
    .selectFrom('audit_entries as entry')
    .leftJoin('audit_keys as key', 'key.id', 'entry.key_id')
    .select(['entry.key_id as id', 'entry.integration_id as integration'])
    .select((eb) => eb.fn.max('entry.seq').as('last'))
    .where('entry.key_id', 'is not', null)
    .where('key.id', 'is', null)
    .groupBy(['entry.key_id', 'entry.integration_id'])
    .execute();
  if (lost.length === 0) return [];
  const leftAt = await listLastOf(audit, 'integration.erasing');
  return lost.flatMap(({ id, integration, last }) =>
    id === null || (leftAt.get(integration) ?? 0) > Number(last) ? [] : [id],
  );
}

/**
 * Returns the number of keys that were destroyed or that no entry needs. A purge deletes a key together with
 * its last entry.
 */
async function countStrangeKeys(audit: Audit, destroyed: ReadonlySet<string>): Promise<number> {
  const there = await audit.reader
    .selectFrom('audit_keys as key')
    .leftJoin('audit_entries as entry', 'entry.key_id', 'key.id')
    .select(['key.id', 'key.integration_id as integration'])
    .select((eb) => eb.fn.max('entry.seq').as('last'))
    .groupBy(['key.id', 'key.integration_id'])
    .execute();
  const leftAt = await listLastOf(audit, 'integration.erased');
  const strange = new Set(
    there.flatMap(({ id, integration, last }) =>
      last === null || Number(last) < (leftAt.get(integration) ?? 0) ? [id] : [],
    ),
  );
  const ids = [...destroyed];
  for (let from = 0; from < ids.length; from += ROWS_AT_ONCE) {
    const back = await audit.reader
      .selectFrom('audit_keys')
      .select('id')
      .where('id', 'in', ids.slice(from, from + ROWS_AT_ONCE))
      .execute();
    for (const { id } of back) strange.add(id);
  }
  return strange.size;
}

/** Returns the number of the last entry of an action, for each client. */
async function listLastOf(audit: Audit, action: AuditAction): Promise<Map<string | null, number>> {
  const rows = await audit.reader
    .selectFrom('audit_entries')
    .select('integration_id as integration')
    .select((eb) => eb.fn.max('seq').as('seq'))
    .where('action', '=', action)
    .groupBy('integration_id')
    .execute();
  return new Map(rows.map(({ integration, seq }) => [integration, Number(seq)]));
}

async function findDestroyedKeys(audit: Audit): Promise<Set<string>> {
  const destroyed = new Set<string>();
  for (let after = 0; ; ) {
    const rows = await audit.reader
      .selectFrom('audit_entries')
      .select(['seq', 'sealed'])
      .where('action', 'in', DESTROYING)
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(ROWS_AT_ONCE)
      .execute();
    for (const row of rows) {
      after = row.seq;
      for (const id of openIfGenuine(audit, row)?.destroyed ?? []) destroyed.add(id);
    }
    if (rows.length === 0) return destroyed;
  }
}

async function readAfter(audit: Audit, seq: number, through: number | null) {
  return await audit.reader
    .selectFrom('audit_entries')
    .selectAll()
    .where('seq', '>', seq)
    .$if(through !== null, (query) => query.where('seq', '<=', through ?? 0))
    .orderBy('seq')
    .limit(ROWS_AT_ONCE)
    .execute();
}

/**
 * Puts a problem on one line. The problem may contain text that a different program wrote into the database. If this
 * text started a new line, it could look like a problem that the check found.
 */
function inOneLine(problem: string): string {
  return problem.replace(/\p{Cc}+/gu, ' ');
}

function chained(row: {
  seq: number;
  at: number;
  integration_id: string | null;
  action: string;
  key_id: string | null;
  sealed: string;
}) {
  const { seq, at, integration_id: integrationId, action, key_id: keyId, sealed } = row;
  return { seq, at, integrationId, action, keyId, sealed };
}
