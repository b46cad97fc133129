/**
 * Checks the first write to a CRM. Its documents do not say whether a write keeps the other parts of a contact. A
 * client's first write changes one contact. All parts of that contact are compared before anything else is written. If
 * another part was lost, it is restored, and writing stops until a user starts the check again. The state is written to
 * the disk before the request is sent. A killed process therefore cannot skip the comparison.
 */
import { z } from 'zod';
import { ConfigurationError } from '../../src/core/errors.ts';
import { foreignText } from '../../src/core/foreign-text.ts';
import type { ConnectorDeps, CrmAccount, Finding, WriteResult } from '../contract.ts';
import { findLost, kindOf, kindsIn, type Parts, pickParts } from './contact-parts.ts';

export type { Parts } from './contact-parts.ts';

/** The parts of the check that are different for each CRM. `Stored` is a contact as the CRM returns it. */
export interface WriteCheckOptions<Stored> {
  /** The CRM's name, for messages. */
  crm: string;
  /** The nouns in messages: a contact, and the fields that are written. Defaults to `contact` and `field values`. */
  nouns?: { contact: string; values: string };
  deps: Pick<ConnectorDeps, 'secrets'>;
  account: CrmAccount;
  /**
   * The setting `crm.writeCheck`, at least 1. A user increases it to start the check again after it has stopped all
   * writing.
   */
  round: number;
  /** Reads a contact that was stored as JSON. */
  storedSchema: z.ZodType<Stored>;
  /** Returns the contact, or null if it is gone. */
  readOne(id: string): Promise<Stored | null>;
  /**
   * Returns the content of each filled part by its name, such as `Employer`. The parts of a list have names such as
   * `Groups: 12`. The check treats all entries of a list as one kind.
   */
  toParts(stored: Stored): Parts;
  partOf(field: string): string;
  /** The contents that the CRM sets if a request does not name the part. */
  defaults?: Parts;
  /** The kinds of parts that get a new ID when they are restored. This ID is their only content. */
  idKinds?: readonly string[];
  /** Writes the former contents of all parts. A refusal is not an error, because the parts are compared afterwards. */
  restore(id: string, former: Stored): Promise<void>;
  /**
   * True if the integration's user made the last change to the contact. Also true if the CRM does not report the
   * author.
   */
  wroteLast(stored: Stored): Promise<boolean>;
}

export interface CheckedWrite<Stored> {
  result: WriteResult;
  /** True if the CRM accepted a request. */
  isSent: boolean;
  /** The contact that the CRM returned, or null if it returned none. */
  response: Stored | null;
}

export interface WriteCheck<Stored> {
  /** Throws a ConfigurationError if the check has stopped the writing and no other round was started. */
  requireNotStopped(): void;
  /** Compares the contact of a write whose comparison was interrupted. Throws if other parts changed. */
  settle(): Promise<void>;
  countKinds(stored: Stored, fields: readonly string[]): number;
  /**
   * True if the contact has a filled part of a kind that may be unsafe. A write has not yet proven that such parts are
   * safe.
   */
  needsCheck(stored: Stored, fields: readonly string[]): boolean;
  /** Writes one contact and compares all its parts. Throws a ConfigurationError if other parts have changed. */
  run(
    subject: { id: string; fields: readonly string[] },
    write: () => Promise<CheckedWrite<Stored>>,
  ): Promise<WriteResult>;
  /**
   * Returns a fact about the CRM that writes have shown, or undefined if it is unknown. The argument is the fact's
   * name.
   */
  learnt(name: string): string | undefined;
  learn(name: string, value: string): Promise<void>;
  /**
   * Deletes the stored data about these contacts. Returns the number of deleted records. For `erase` of the connector.
   */
  erase(isErased: (id: string) => boolean): Promise<number>;
  /** Returns the state, for `doctor`. Only its `words` contain former contents of parts. */
  finding(): Finding;
}

/** The name of the secret. It is encrypted, because it contains a contact while a check is in progress. */
const SECRET = 'write_check';

const stateSchema = z.object({
  account: z.string(),
  /** `crm.writeCheck` at the time of the check. */
  round: z.number(),
  phase: z.enum(['none', 'pending', 'passed', 'failed']),
  learnt: z.record(z.string(), z.string()),
  /** The kinds of parts that have survived a write. */
  proven: z.array(z.string()),
  /** The write whose comparison is not finished. `ours` are the parts that it was meant to change. */
  pending: z.object({ id: z.string(), ours: z.array(z.string()), before: z.json() }).nullable(),
  /** A failed check and the parts that the contact may have lost. It is kept until a check passes. */
  failure: z
    .object({
      /** The contact's ID. Null after the contact has been erased. */
      id: z.string().nullable(),
      kinds: z.array(z.string()),
      /** The former contents of parts that donor-sync could not restore. */
      unrestored: z.record(z.string(), z.string()),
    })
    .nullable(),
});

type State = z.output<typeof stateSchema>;

/**
 * A connector can open the check even if a failure has stopped all writing. Otherwise nobody could erase the contact
 * that the check has stored. Sends no request.
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
      // A refused request has changed nothing.
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
      // If a check has stopped all writing, the next contact would also be damaged. No write is therefore allowed.
      const named = failure && { ...failure, id: null, unrestored: {} };
      await save({ ...kept, failure: hasFailure ? named : failure });
      return 1;
    },
    finding: () => toFinding(state, isStopped(state), options),
  };

  /** The promise resolves after the state has been written to the disk. */
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
    /** False if the process ended before it learned whether the write had been executed. */
    isSent: boolean;
    response: Stored | null;
  }): Promise<void> {
    const before = partsOf(former, ours);
    const lostIn = (contact: Stored) => findLost(before, partsOf(contact, ours), defaults);
    const after = await readOne(id);
    // The contact is gone. The next write becomes the check.
    if (after === null) return save({ ...state, phase: 'none', pending: null });
    const lost = lostIn(after);
    // The write may never have been executed, or its damage may already have been repaired. That proves nothing, so the
    // next write is the check.
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
    // It may be unknown whether the write was carried out. If someone else made the last change, a user may have
    // removed the part deliberately.
    const unrestored = isOurs ? await restore(id, former) : pickParts(before, lost);
    const kinds = [...new Set(lost.map(kindOf))].sort();
    const failure = { id, kinds, unrestored };
    await save({ ...state, round, phase: 'failed', proven: [], pending: null, failure });
    throw toStopped(state, options);
  }

  /** Returns the former contents of the parts that cannot be restored. */
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

/** Reads the stored state. Returns null if there is no state or if it belongs to a different account. */
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

/** Only `doctor` shows former contents. Messages never contain them. */
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
