/**
 * The check of the first write. Bloomerang does not document whether a PUT keeps the parts of a constituent that its body
 * does not name. Therefore the first write of a client goes to one constituent, which is compared in all parts before
 * anything else is written. The state is on disk before the request is sent, so a killed process cannot skip the comparison.
 */
import { z } from 'zod';
import { ConfigurationError } from '../../src/core/errors.ts';
import type { ConnectorDeps, ConnectorOptions, CrmAccount } from '../contract.ts';
import type { Http } from '../requests/http.ts';
import type { CustomFields } from './fields.ts';
import {
  findLost,
  ID_LISTS,
  kindOf,
  kindsIn,
  type Parts,
  toParts,
  toRestoration,
} from './parts.ts';
import { type BloomerangRecord, recordSchema } from './record.ts';
import type { BloomerangSettings } from './settings.ts';

/** The name of the secret. It is encrypted, because it contains a constituent while a check is in progress. */
const SECRET = 'bloomerang_write_check';

const stateSchema = z.object({
  account: z.string(),
  /** `crm.writeCheck` at the time of the check. */
  round: z.number(),
  phase: z.enum(['none', 'pending', 'passed', 'failed']),
  /** Whether a PUT needs the names of an individual. */
  names: z.enum(['unknown', 'omitted', 'sent']),
  /** The kinds of parts that have survived a write. */
  proven: z.array(z.string()),
  /** The write whose comparison has not ended. */
  pending: z.object({ id: z.string(), ours: z.array(z.number()), before: recordSchema }).nullable(),
  /** A failure with parts that may be missing in the CRM. It is kept until a check passes. */
  failure: z
    .object({
      /** Null once the constituent was erased. */
      id: z.string().nullable(),
      kinds: z.array(z.string()),
      /** The former contents of parts that could not be restored. */
      unrestored: z.record(z.string(), z.string()),
    })
    .nullable(),
});

export type WriteCheckState = z.output<typeof stateSchema>;

/** One write of the check. `response` is the record as the CRM returned it; null if nothing was written. */
export interface CheckedWrite<Result> {
  result: Result;
  response: BloomerangRecord | null;
}

export interface WriteCheck {
  state(): Readonly<WriteCheckState>;
  /** Throws a ConfigurationError if the check has stopped the writing and no other round was started. */
  requireNotStopped(): void;
  /** Compares the constituent of a write whose comparison was interrupted. Throws if other parts changed. */
  settle(custom: CustomFields): Promise<void>;
  /** Returns true if the record has a filled part of a kind that no write has proven to be safe. */
  needsCheck(record: BloomerangRecord, ours: ReadonlySet<number>): boolean;
  /** Writes one constituent and compares it in all parts. Throws a ConfigurationError if other parts changed. */
  run<Result>(
    subject: { id: string; ours: ReadonlySet<number>; custom: CustomFields },
    write: () => Promise<CheckedWrite<Result>>,
  ): Promise<Result>;
  /** Remembers whether a PUT needs the names. */
  learnNames(names: 'omitted' | 'sent'): Promise<void>;
  /** Deletes what is kept about this contact. Returns the number of deleted records. */
  erase(isErased: (id: string) => boolean): Promise<number>;
}

/** Reads the stored state; null if there is none, or if it is about another account. */
export async function readWriteCheck(
  { secrets }: Pick<ConnectorDeps, 'secrets'>,
  account: CrmAccount,
): Promise<WriteCheckState | null> {
  const text = await secrets.read(SECRET);
  const state = text === null ? undefined : stateSchema.safeParse(JSON.parse(text)).data;
  return state?.account === account.id ? state : null;
}

/**
 * Opens the check. If it has stopped the writing, it can still be opened, because otherwise nobody could erase the
 * constituent that it keeps.
 */
export async function openWriteCheck(
  { settings, deps }: Pick<ConnectorOptions<BloomerangSettings>, 'settings' | 'deps'>,
  http: Http,
  account: CrmAccount,
): Promise<WriteCheck> {
  const stored = await readWriteCheck(deps, account);
  let state: WriteCheckState = stored ?? begin(account, settings);
  if (state.phase === 'failed' && !isStopped(state, settings)) {
    state = { ...begin(account, settings), failure: state.failure };
  }

  return {
    state: () => state,
    requireNotStopped() {
      if (isStopped(state, settings)) throw stopped(state);
    },
    async settle(custom) {
      const { pending } = state;
      if (pending !== null) await compare({ ...pending, custom, response: null });
    },
    needsCheck(record, ours) {
      if (state.phase !== 'passed') return true;
      const proven = new Set(state.proven);
      return [...kindsIn(toParts(record, ours))].some((kind) => !proven.has(kind));
    },
    async run({ id, ours, custom }, write) {
      const before = await readOne(id);
      if (before === null) return (await write()).result;
      const { phase } = state;
      const pending = { id, ours: [...ours], before };
      await save({ ...state, phase: 'pending', pending });
      const { result, response } = await write();
      // A refused request has changed nothing.
      if (response === null) await save({ ...state, phase, pending: null });
      else await compare({ ...pending, custom, response });
      return result;
    },
    async learnNames(names) {
      if (state.names !== names) await save({ ...state, names });
    },
    async erase(isErased) {
      const { pending, failure } = state;
      const hasPending = pending !== null && isErased(pending.id);
      const hasFailure = failure?.id != null && isErased(failure.id);
      if (!hasPending && !hasFailure) return 0;
      const kept = hasPending ? { ...begin(account, settings), names: state.names } : state;
      // A check that has stopped the writing stays stopped, because the next constituent would be damaged too.
      const named = failure && { ...failure, id: null, unrestored: {} };
      await save({ ...kept, failure: hasFailure ? named : failure });
      return 1;
    },
  };

  /** On disk when it resolves. */
  async function save(next: WriteCheckState): Promise<void> {
    await deps.secrets.write(SECRET, JSON.stringify(next));
    state = next;
  }

  async function compare({
    id,
    before: record,
    ours: fieldIds,
    custom,
    response,
  }: NonNullable<WriteCheckState['pending']> & {
    custom: CustomFields;
    response: BloomerangRecord | null;
  }): Promise<void> {
    const ours = new Set(fieldIds);
    const before = toParts(record, ours);
    const after = await readOne(id);
    // The constituent is gone. The next write is the check.
    if (after === null) return save({ ...state, phase: 'none', pending: null });
    const lost = findLost(before, toParts(after, ours));
    // Without a response, the write may never have been carried out, or its damage is already restored. That proves
    // nothing, so the next write is the check.
    if (response === null && lost.length === 0) {
      return save({ ...state, phase: 'none', pending: null });
    }
    const isOurs =
      lost.length > 0 &&
      ((response !== null && findLost(before, toParts(response, ours)).length > 0) ||
        (await wroteLast(after)));
    if (lost.length === 0 || (!isOurs && response !== null)) {
      const lostKinds = new Set(lost.map(kindOf));
      const safe = [...kindsIn(before)].filter((kind) => !lostKinds.has(kind));
      const proven = [...new Set([...state.proven, ...safe])].sort();
      const round = settings.writeCheck;
      return save({ ...state, round, phase: 'passed', proven, pending: null, failure: null });
    }
    // Without a response, and with another author, the loss may be what a user wanted.
    const unrestored = isOurs ? await restore(id, record, custom) : pickParts(before, lost);
    const kinds = [...new Set(lost.map(kindOf))].sort();
    const failure = { id, kinds, unrestored };
    const round = settings.writeCheck;
    await save({ ...state, round, phase: 'failed', proven: [], pending: null, failure });
    throw stopped(state);
  }

  /** Returns the former contents of the parts that cannot be restored. */
  async function restore(
    id: string,
    record: BloomerangRecord,
    custom: CustomFields,
  ): Promise<Parts> {
    const all = toParts(record, new Set());
    const request = { method: 'PUT', path: `/constituent/${id}` } as const;
    await http.ask({ ...request, json: toRestoration(record, custom) }, recordSchema);
    const now = await readOne(id);
    const lost = now === null ? Object.keys(all) : findLost(all, toParts(now, new Set()));
    return pickParts(
      all,
      lost.filter((name) => !ID_LISTS.includes(kindOf(name))),
    );
  }

  async function readOne(id: string): Promise<BloomerangRecord | null> {
    const answer = await http.ask({ path: `/constituent/${id}` }, recordSchema);
    if (answer.ok) return answer.body;
    if (answer.status === 404) return null;
    // Any other refusal is not about a deleted constituent, so it is an error.
    return http.read({ path: `/constituent/${id}` }, recordSchema);
  }

  /** Bloomerang writes the user's name into the audit trail, possibly after the name of the key. */
  async function wroteLast({ AuditTrail }: BloomerangRecord): Promise<boolean> {
    const author = AuditTrail?.LastModifiedName ?? null;
    if (author === null) return true;
    const { Name } = await http.read({ path: '/user/current' }, z.object({ Name: z.string() }));
    return author.includes(Name.trim());
  }
}

function begin({ id }: CrmAccount, { writeCheck }: BloomerangSettings): WriteCheckState {
  const nothing = { proven: [], pending: null, failure: null };
  return { account: id, round: writeCheck, phase: 'none', names: 'unknown', ...nothing };
}

export function isStopped(
  { phase, round }: WriteCheckState,
  { writeCheck }: Pick<BloomerangSettings, 'writeCheck'>,
): boolean {
  return phase === 'failed' && writeCheck <= round;
}

/** The error of a check that has stopped the writing. Former contents are in `doctor`, never in a message. */
export function stopped({ failure, round }: WriteCheckState): ConfigurationError {
  const { id = null, kinds = [], unrestored = {} } = failure ?? {};
  const left = [...new Set(Object.keys(unrestored).map(kindOf))].sort();
  const changed = `Bloomerang also changed these parts: ${kinds.join(', ')}.`;
  const next = `ask Bloomerang how to change custom values alone, and set crm.writeCheck to ${round + 1} to start the check again.`;
  const restored =
    left.length === 0
      ? 'donor-sync restored them.'
      : `These parts could not be restored: ${left.join(', ')}. \`donor-sync doctor --show\` shows their former contents.`;
  const message =
    id === null
      ? `When donor-sync wrote custom values into a constituent that was erased later, ${changed} No other constituent was written. First ${next}`
      : `When donor-sync wrote custom values into constituent ${id}, ${changed} ${restored} No other constituent was written. Look at the constituent, ${next}`;
  return new ConfigurationError(message, {
    code: 'crm_write_check_failed',
    details: { parts: kinds, unrestored: left },
  });
}

function pickParts(parts: Parts, names: readonly string[]): Parts {
  return Object.fromEntries(names.map((name) => [name, parts[name] ?? '']));
}
