/**
 * Errors, sorted by what to do next. Connectors and the service's client translate failures from outside into one of
 * these four kinds. Everything above them checks only the kind and the data.
 */

import type { ForeignText } from './foreign-text.ts';

/** The data that each of our errors has in addition to its message. */
export interface ErrorFacts {
  /** A stable word in snake_case for programs, for example `crm_unauthorized`. */
  code: string;
  /** The underlying error. */
  cause?: unknown;
  /** Facts that a caller may want to read. They never contain secrets or personal data. */
  details?: Readonly<Record<string, unknown>>;
  /** The other side's own text, for deciders. It is never part of the message. */
  words?: ForeignText | null;
}

/** The mark of our errors, whichever copy of this package created them. */
const BRAND: unique symbol = Symbol.for('donor-sync.error');

/** The base of the four kinds. The message contains the subject and the next step. */
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
 * Why something is refused. `invalid`: the input is not valid. `unknown`: it does not exist, or the caller may not
 * access it. `conflict`: it has changed since the caller saw it. `forbidden`: the caller may not do it.
 */
export type Refusal = 'invalid' | 'unknown' | 'conflict' | 'forbidden';

/** An error after which a user must change something before a retry makes sense. */
export class ConfigurationError extends DonorSyncError {
  readonly kind = 'configuration';
  /** Omitted in errors of connector packages with an older copy of this class. */
  readonly refusal: Refusal | undefined;

  constructor(
    message: string,
    { refusal = 'invalid', ...facts }: ErrorFacts & { refusal?: Refusal },
  ) {
    super(message, facts);
    this.refusal = refusal;
  }
}

/** A temporary failure. Try again later. */
export class RetriableError extends DonorSyncError {
  readonly kind = 'retriable';
}

/** This record cannot be processed, but other records can. */
export class SkippableError extends DonorSyncError {
  readonly kind = 'skippable';
}

/** The run must stop here. */
export class FatalError extends DonorSyncError {
  readonly kind = 'fatal';
}

/**
 * Returns true for an error of one of the four kinds. A connector package may have its own copy of this
 * package, with different classes, so errors are recognised by their mark and kind, and never by
 * `instanceof`.
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

/** Returns the message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the other side's own text from anything that was thrown, or null if there is none. */
export function wordsOf(error: unknown): ForeignText | null {
  return isDonorSyncError(error) ? error.words : null;
}
