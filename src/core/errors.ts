/**
 * Defines four kinds of errors, by the next step that each kind requires. Connectors and the service client convert all
 * failures into these kinds. Other code checks only the kind and the data of an error.
 */

import type { ForeignText } from './foreign-text.ts';

export interface ErrorFacts {
  /** A permanent code in snake_case for programs, for example `crm_unauthorized`. */
  code: string;
  /** The underlying error. */
  cause?: unknown;
  /** Data for the caller. The data never contains secrets or personal data. */
  details?: Readonly<Record<string, unknown>>;
  /** The message of the other system, for users who decide. donor-sync's own message never contains it. */
  words?: ForeignText | null;
}

/** Marks the errors of donor-sync, even if another copy of this package created them. */
const BRAND: unique symbol = Symbol.for('donor-sync.error');

/** The base class of the four kinds. The message names the subject and the next step. */
export abstract class DonorSyncError extends Error {
  abstract readonly kind: 'configuration' | 'retriable' | 'skippable' | 'fatal';
  readonly [BRAND] = true;
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly words: ForeignText | null;

  constructor(message: string, facts: ErrorFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = new.target.name;
    this.code = facts.code;
    this.details = facts.details ?? {};
    this.words = facts.words ?? wordsOf(facts.cause);
  }
}

/**
 * The reason for a refusal. `invalid`: the input is wrong. `unknown`: the subject does not exist, or the caller may not
 * access it. `conflict`: the subject has changed since the caller saw it. `forbidden`: the caller has no permission.
 */
export type Refusal = 'invalid' | 'unknown' | 'conflict' | 'forbidden';

/** A user must change something before a retry makes sense. */
export class ConfigurationError extends DonorSyncError {
  readonly kind = 'configuration';
  /** Undefined if a connector package created the error with an older version of this class. */
  readonly refusal: Refusal | undefined;

  constructor(
    message: string,
    { refusal = 'invalid', ...facts }: ErrorFacts & { refusal?: Refusal },
  ) {
    super(message, facts);
    this.refusal = refusal;
  }
}

/** A temporary failure. Another attempt may succeed later. */
export class RetriableError extends DonorSyncError {
  readonly kind = 'retriable';
}

/** This record cannot be processed, but other records can. */
export class SkippableError extends DonorSyncError {
  readonly kind = 'skippable';
}

export class FatalError extends DonorSyncError {
  readonly kind = 'fatal';
}

/**
 * True if donor-sync created the error. A connector package may contain its own copy of these classes, so errors are
 * recognised by their mark and not by `instanceof`.
 */
export function isDonorSyncError(error: unknown): error is DonorSyncError {
  return error instanceof Error && BRAND in error;
}

export function isConfigurationError(error: unknown): error is ConfigurationError {
  return isDonorSyncError(error) && error.kind === 'configuration';
}

export function isRetriableError(error: unknown): error is RetriableError {
  return isDonorSyncError(error) && error.kind === 'retriable';
}

export function isFatalError(error: unknown): error is FatalError {
  return isDonorSyncError(error) && error.kind === 'fatal';
}

/** Returns the message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function wordsOf(error: unknown): ForeignText | null {
  return isDonorSyncError(error) ? error.words : null;
}
