/**
 * Transactions for changes that are made outside a run, by users or by donor-sync. Each carries its actor,
 * for the audit.
 */
import type { Actor } from '../core/actor.ts';
import type { Clock } from '../core/clock.ts';
import type { AskedRun } from '../core/run.ts';
import type { Fingerprint } from './encryption/fingerprint.ts';
import type { Database, Trx } from './tables/tables.ts';

/**
 * The context of a transaction that changes rows. It is part of the transaction, so functions need no separate argument
 * for it.
 */
export interface WriteContext {
  readonly clock: Clock;
  /** The actor who makes the change, in the form that the audit records (`privacy/audit/record.ts`). */
  readonly actor: Actor;
  readonly fingerprint: Fingerprint;
  readonly asked: RunsAsked;
}

/** Called once for each integration, inside the transaction that stores requests for runs. */
export type RunsAsked = (trx: Trx, runs: readonly AskedRun[]) => Promise<void>;

/**
 * A transaction in the name of an actor. Functions that change users' decisions require this type, so they cannot be
 * called without an actor. Only `actAs` creates it.
 */
export type ActorTransaction = Trx & WriteContext & { readonly [BY_ACTOR]: true };

/** Exists only in the types. No transaction has it at runtime. */
declare const BY_ACTOR: unique symbol;

/** Runs a transaction in the name of the actor of `context`. */
export type Act = <Result>(work: (trx: ActorTransaction) => Promise<Result>) => Promise<Result>;

/** Runs a transaction as `Act` does. Nothing is retried, because users can see that their change failed. */
export function actAs(db: Database, context: WriteContext): Act {
  return (work) =>
    db.transaction().execute((trx) => work(withContext(trx, context) as ActorTransaction));
}

/** Returns the transaction itself. From here on, it carries the context. */
export function withContext<Of extends Trx>(
  trx: Of,
  { clock, actor, fingerprint, asked }: WriteContext,
): Of & WriteContext {
  return Object.assign(trx, { clock, actor, fingerprint, asked });
}
