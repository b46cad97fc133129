/** Transactions of what users and the product change outside of a run: each carries who does it, for the audit. */
import type { Actor } from '../core/actor.ts';
import type { Clock } from '../core/clock.ts';
import type { AskedRun } from '../core/run.ts';
import type { Fingerprint } from './encryption/fingerprint.ts';
import type { Database, Trx } from './tables/tables.ts';

/** What transactions that change rows carry, so that no function needs it as an argument of its own. */
export interface WriteContext {
  readonly clock: Clock;
  /** Who makes the change, as the audit records it (`privacy/audit/record.ts`). */
  readonly actor: Actor;
  readonly fingerprint: Fingerprint;
  readonly asked: RunsAsked;
}

/** Called inside the transaction that stores requests of runs, once for each integration. */
export type RunsAsked = (trx: Trx, runs: readonly AskedRun[]) => Promise<void>;

/**
 * A transaction in the name of an actor. Functions that change what users decide take it, so that none of them can be
 * called without saying who it is: only `actAs` makes one.
 */
export type ActorTransaction = Trx & WriteContext & { readonly [BY_ACTOR]: true };

/** For the types alone; no transaction has it when the program runs. */
declare const BY_ACTOR: unique symbol;

/** Runs a transaction in the name of the actor of `context`. */
export type Act = <Result>(work: (trx: ActorTransaction) => Promise<Result>) => Promise<Result>;

/** See `Act`. Nothing is tried again: what a user changes may be seen to fail. */
export function actAs(db: Database, context: WriteContext): Act {
  return (work) =>
    db.transaction().execute((trx) => work(withContext(trx, context) as ActorTransaction));
}

/** The transaction itself, which from here on carries the context. */
export function withContext<Of extends Trx>(
  trx: Of,
  { clock, actor, fingerprint, asked }: WriteContext,
): Of & WriteContext {
  return Object.assign(trx, { clock, actor, fingerprint, asked });
}
