/**
 * Checks the first write to a CRM. The documents of some CRMs do not say whether a write keeps the other parts of a
 * contact. The first write of a client therefore changes only one contact. donor-sync compares all parts of this
 * contact before it writes anything else. If another part was lost, donor-sync restores it and stops writing until a
 * user starts the check again. The state of the check is written to the disk before the request is sent. If the process
 * is killed, the next process makes the comparison.
 */
import { z } from 'zod';
import { ConfigurationError } from '../../src/core/errors.ts';
import { foreignText } from '../../src/core/foreign-text.ts';
import type { ConnectorDeps, CrmAccount, Finding, WriteResult } from '../contract.ts';
import { findLost, kindOf, kindsIn, type Parts, pickParts } from './contact-parts.ts';

export type { Parts } from './contact-parts.ts';

/** The functions of the check that differ between CRMs. `Stored` is a contact as the CRM returns it. */
export interface WriteCheckOptions<Stored> {
  /** The CRM's name in messages. */
  crm: string;
  /** The nouns in messages for a contact and for the written fields. The default is `contact` and `field values`. */
  nouns?: { contact: string; values: string };
  deps: Pick<ConnectorDeps, 'secrets'>;
  account: CrmAccount;
  /**
   * The setting `crm.writeCheck`, which is at least 1. If a check has stopped all writing, a user increases the setting
   * to start the check again.
   */
  round: number;
  /** The schema of a contact that was stored as JSON. */
  storedSchema: z.ZodType<Stored>;
  /** Reads the contact. Returns null if the contact does not exist. */
  readOne(id: string): Promise<Stored | null>;
  /**
   * Returns the contents of all parts that are not blank. The map's key is the part's name, such as `Employer`. The
   * entries of a list have names such as `Groups: 12`. The check treats all entries of a list as one kind.
   */
  toParts(stored: Stored): Parts;
  partOf(field: string): string;
  /** Values that the CRM sets if a request does not contain the part. */
  defaults?: Parts;
  /**
   * The kinds of parts that get a new ID when donor-sync restores them. These kinds of parts have no other content than
   * their ID.
   */
  idKinds?: readonly string[];
  /**
   * Writes the former contents of all parts. The function does not throw if the CRM refuses, because the parts are
   * compared afterwards.
   */
  restore(id: string, former: Stored): Promise<void>;
  /**
   * Returns true if the CRM user of donor-sync made the last change to the contact. Also returns true if the CRM does
   * not report who made the change.
   */
  wroteLast(stored: Stored): Promise<boolean>;
}

export interface CheckedWrite<Stored> {
  result: WriteResult;
  /** True if the CRM has accepted a request. */
  isSent: boolean;
  /** The contact that the CRM returned, or null if it returned none. */
  response: Stored | null;
}

export interface WriteCheck<Stored> {
  /** Throws a ConfigurationError if the check has stopped all writing and no user has started it again. */
  requireNotStopped(): void;
  /**
   * Makes the comparison after a write if the process was interrupted before the comparison. Throws if other parts have
   * changed.
   */
  settle(): Promise<void>;
  countKinds(stored: Stored, fields: readonly string[]): number;
  /**
   * Returns true if the contact has a part that a write might damage. No write has shown yet that this kind of part
   * stays unchanged.
   */
  needsCheck(stored: Stored, fields: readonly string[]): boolean;
  /** Writes one contact and compares all its parts. Throws a ConfigurationError if other parts have changed. */
  run(
    subject: { id: string; fields: readonly string[] },
    write: () => Promise<CheckedWrite<Stored>>,
  ): Promise<WriteResult>;
  /**
   * Returns a fact about the CRM that earlier writes have shown. Returns undefined if the fact is unknown. The argument
   * is the fact's name.
   */
  learnt(name: string): string | undefined;
  learn(name: string, value: string): Promise<void>;
  /**
   * Deletes the stored data about these contacts. Returns the number of deleted records. The connector's `erase` calls
   * this function.
   */
  erase(isErased: (id: string) => boolean): Promise<number>;
  /** Returns the state of the check for `doctor`. Only the finding's `words` contain former contents of a contact. */
  finding(): Finding;
}

/** The name of the secret. The secret is encrypted, because it contains a contact while a check is in progress. */
const SECRET = 'write_check';

const stateSchema = z.object({
  account: z.string(),
  /** The value of `crm.writeCheck` at the time of the check. */
  round: z.number(),
  phase: z.enum(['none', 'pending', 'passed', 'failed']),
  learnt: z.record(z.string(), z.string()),
  /** The kinds of parts that a write has left unchanged. */
  proven: z.array(z.string()),
  /** The write whose comparison has not been made yet. `ours` lists the parts that the write was meant to change. */
  pending: z.object({ id: z.string(), ours: z.array(z.string()), before: z.json() }).nullable(),
  /** A failed check and the parts that the contact may have lost. The failure is stored until a later check passes. */
  failure: z
    .object({
      /** The contact's ID. The ID is null after the contact has been erased. */
      id: z.string().nullable(),
      kinds: z.array(z.string()),
      /** The former contents of parts that donor-sync could not restore. */
      unrestored: z.record(z.string(), z.string()),
    })
    .nullable(),
});

type State = z.output<typeof stateSchema>;

/**
 * Opens the check. A connector can open it even if a failed check has stopped all writing. If the connector could not
 * be opened, donor-sync could not erase the contact that the check has stored. The function sends no request.
 */
export async function openWriteCheck<Stored>(
  options: WriteCheckOptions<Stored>,
): Promise<WriteCheck<Stored>> {
  const { deps, round, storedSchema, readOne, defaults = {}, idKinds = [] } = options;
  const stored = await readState(options);
  const isStopped = ({ phase, round: stoppedAt }: State) =>
    phase === 'failed' && round <= stoppedAt;
  let state: State = stored ?? begin(options);
  if (state.phase === 'failed' && !isStopped(state)) {
    state = { ...begin(options), failure: state.failure };
  }

  return {
    requireNotStopped() {
      if (isStopped(state)) throw toStopped(state, options);
    },
    async settle() {
      const { pending } = state;
      if (pending === null) return;
      const before = storedSchema.parse(pending.before);
      await compare({ ...pending, before, isSent: false, response: null });
    },
    countKinds: (contact, fields) => kindsOf(contact, fields.map(options.partOf)).size,
    needsCheck(contact, fields) {
      if (state.phase !== 'passed') return true;
      const proven = new Set(state.proven);
      return [...kindsOf(contact, fields.map(options.partOf))].some((kind) => !proven.has(kind));
    },
    async run({ id, fields }, write) {
      const before = await readOne(id);
      if (before === null) return (await write()).result;
      const { phase } = state;
      const ours = fields.map(options.partOf);
      const pending = { id, ours, before: z.json().parse(JSON.parse(JSON.stringify(before))) };
      await save({ ...state, phase: 'pending', pending });
      const { result, isSent, response } = await write();
      // If the CRM refused the request, it changed nothing.
      if (!isSent) await save({ ...state, phase, pending: null });
      else await compare({ id, ours, before, isSent, response });
      return result;
    },
    learnt: (name) => state.learnt[name],
    async learn(name, value) {
      if (state.learnt[name] === value) return;
      await save({ ...state, learnt: { ...state.learnt, [name]: value } });
    },
    async erase(isErased) {
      const { pending, failure } = state;
      const hasPending = pending !== null && isErased(pending.id);
      const hasFailure = failure?.id != null && isErased(failure.id);
      if (!hasPending && !hasFailure) return 0;
      const kept = hasPending ? { ...begin(options), learnt: state.learnt } : state;
      // If a check has stopped all writing, the next write would also damage a contact. Therefore, no write is allowed.
      const named = failure && { ...failure, id: null, unrestored: {} };
      await save({ ...kept, failure: hasFailure ? named : failure });
      return 1;
    },
    finding: () => toFinding(state, isStopped(state), options),
  };

  /** Stores the state. The promise resolves after the state has been written to the disk. */
  async function save(next: State): Promise<void> {
    await deps.secrets.write(SECRET, JSON.stringify(next));
    state = next;
  }

  function partsOf(contact: Stored, without: readonly string[] = []): Parts {
    const parts = Object.entries(options.toParts(contact));
    return Object.fromEntries(parts.filter(([name]) => !without.includes(name)));
  }

  function kindsOf(contact: Stored, ours: readonly string[]): Set<string> {
    return kindsIn(partsOf(contact, ours), defaults);
  }

  async function compare({
    id,
    before: former,
    ours,
    isSent,
    response,
  }: {
    id: string;
    before: Stored;
    ours: readonly string[];
    /** False if the process ended before it learned whether the CRM had executed the write. */
    isSent: boolean;
    response: Stored | null;
  }): Promise<void> {
    const before = partsOf(former, ours);
    const lostIn = (contact: Stored) => findLost(before, partsOf(contact, ours), defaults);
    const after = await readOne(id);
    // The contact no longer exists. The next write will be checked.
    if (after === null) return save({ ...state, phase: 'none', pending: null });
    const lost = lostIn(after);
    // The CRM may not have executed the write, or a user may already have repaired the contact. This result does not
    // prove that writes are safe, so the next write will be checked.
    if (!isSent && lost.length === 0) return save({ ...state, phase: 'none', pending: null });
    const isOurs =
      lost.length > 0 &&
      ((response !== null && lostIn(response).length > 0) || (await options.wroteLast(after)));
    if (lost.length === 0 || (!isOurs && isSent)) {
      const lostKinds = new Set(lost.map(kindOf));
      const safe = [...kindsIn(before, defaults)].filter((kind) => !lostKinds.has(kind));
      const proven = [...new Set([...state.proven, ...safe])].sort();
      return save({ ...state, round, phase: 'passed', proven, pending: null, failure: null });
    }
    // donor-sync may not know whether the CRM executed the write. If another user made the last change, this user may
    // have removed the part on purpose.
    const unrestored = isOurs ? await restore(id, former) : pickParts(before, lost);
    const kinds = [...new Set(lost.map(kindOf))].sort();
    const failure = { id, kinds, unrestored };
    await save({ ...state, round, phase: 'failed', proven: [], pending: null, failure });
    throw toStopped(state, options);
  }

  /** Restores the parts. Returns the former contents of the parts that cannot be restored. */
  async function restore(id: string, former: Stored): Promise<Parts> {
    const all = partsOf(former);
    await options.restore(id, former);
    const now = await readOne(id);
    const lost = now === null ? Object.keys(all) : findLost(all, partsOf(now), defaults);
    return pickParts(
      all,
      lost.filter((name) => !idKinds.includes(kindOf(name))),
    );
  }
}

/** Reads the stored state. Returns null if there is no stored state, or if the state belongs to a different account. */
async function readState({
  deps,
  account,
}: Pick<WriteCheckOptions<unknown>, 'deps' | 'account'>): Promise<State | null> {
  const text = await deps.secrets.read(SECRET);
  const state = text === null ? undefined : stateSchema.safeParse(JSON.parse(text)).data;
  return state?.account === account.id ? state : null;
}

function begin({ account, round }: Pick<WriteCheckOptions<unknown>, 'account' | 'round'>): State {
  const nothing = { learnt: {}, proven: [], pending: null, failure: null };
  return { account: account.id, round, phase: 'none', ...nothing };
}

type Words = Pick<WriteCheckOptions<unknown>, 'crm' | 'nouns'>;

const NOUNS = { contact: 'contact', values: 'field values' };

/** Creates the error. Only `doctor` shows the former contents. Error messages never contain them. */
function toStopped(
  { failure, round }: State,
  { crm, nouns: { contact, values } = NOUNS }: Words,
): ConfigurationError {
  const { id = null, kinds = [], unrestored = {} } = failure ?? {};
  const left = [...new Set(Object.keys(unrestored).map(kindOf))].sort();
  const changed = `${crm} also changed these parts: ${kinds.join(', ')}.`;
  const next = `ask ${crm} how to change ${values} alone, and set crm.writeCheck to ${round + 1} to start the check again.`;
  const restored =
    left.length === 0
      ? 'donor-sync restored them.'
      : `These parts could not be restored: ${left.join(', ')}. \`donor-sync doctor --show\` shows their former contents.`;
  const message =
    id === null
      ? `When donor-sync wrote ${values} into a ${contact} that was erased later, ${changed} No other ${contact} was written. First ${next}`
      : `When donor-sync wrote ${values} into ${contact} ${id}, ${changed} ${restored} No other ${contact} was written. Look at the ${contact}, ${next}`;
  return new ConfigurationError(message, {
    code: 'crm_write_check_failed',
    details: { parts: kinds, unrestored: left },
  });
}

function toFinding(state: State, isStopped: boolean, words: Words): Finding {
  const { phase, proven, round, failure } = state;
  const { contact } = words.nouns ?? NOUNS;
  const subject = 'write check';
  if (isStopped) {
    const { message } = toStopped(state, words);
    const fix = `Set crm.writeCheck to ${round + 1} to start the check again.`;
    const former = Object.entries(failure?.unrestored ?? {});
    const text = former.map(([part, content]) => `${part} = ${content}`).join('; ');
    const shown = foreignText(text, { code: 'FORMER_CONTENTS' });
    return { subject, ok: false, message, fix, cause: 'crm_write_check_failed', words: shown };
  }
  const messages = {
    pending: 'A first write was interrupted. It is compared before anything else is written.',
    passed: `Writes keep these parts of a ${contact}: ${proven.join(', ')}.`,
  };
  const message =
    phase === 'pending' || phase === 'passed'
      ? messages[phase]
      : `No value was written yet. The first write goes to one ${contact}, and is compared in all parts.`;
  return { subject, ok: true, message, fix: null, report: message };
}
