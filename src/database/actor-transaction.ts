/**
 * A transaction on behalf of an actor. Every change by a user or by donor-sync itself has an actor, whom the audit
 * records.
 */
import type { Actor } from '../core/actor.ts';
import type { Clock } from '../core/clock.ts';
import type { AskedRun } from '../core/run.ts';
import type { Fingerprint } from './encryption/fingerprint.ts';
import type { Database, Trx } from './tables/tables.ts';

/** The actor and the time of a change. The transaction contains both, so functions need no separate argument. */
export interface WriteContext {
  readonly clock: Clock;
  /** The actor as the audit records it (`privacy/audit/record.ts`). */
  readonly actor: Actor;
  readonly fingerprint: Fingerprint;
  readonly asked: RunsAsked;
}

/** Notifies the engine of requested runs. Called once per integration, in the transaction that stores the requests. */
export type RunsAsked = (trx: Trx, runs: readonly AskedRun[]) => Promise<void>;

/**
 * A transaction on behalf of an actor. Functions that change decisions require this type, so the actor is always known.
 * Only `actAs` creates it.
 */
export type ActorTransaction = Trx & WriteContext & { readonly [BY_ACTOR]: true };

/** Exists only in the types. At runtime, no transaction has this property. */
declare const BY_ACTOR: unique symbol;

/** Runs a transaction on behalf of the actor in `context`. */
export type Act = <Result>(work: (trx: ActorTransaction) => Promise<Result>) => Promise<Result>;

/** Runs a transaction like `Act`. A failed transaction is not retried, because users see that their change failed. */
export function actAs(db: Database, context: WriteContext): Act {
  return (work) =>
    db.transaction().execute((trx) => work(withContext(trx, context) as ActorTransaction));
}

/** Adds the context to a transaction, and returns the same transaction. */
export function withContext<Of extends Trx>(
  trx: Of,
  { clock, actor, fingerprint, asked }: WriteContext,
): Of & WriteContext {
  return Object.assign(trx, { clock, actor, fingerprint, asked });
}
