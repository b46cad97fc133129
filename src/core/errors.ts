/**
 * Errors sorted by what to do next. Connectors and the partner client translate foreign failures
 * into one of these four; everything above them looks only at the kind and the data.
 */

import type { ForeignText } from './foreign-text.ts';

/** What every error of ours carries besides its message. */
export interface ErrorFacts {
  /** A stable word in snake_case for programs to read, for example `crm_unauthorized`. */
  code: string;
  /** What happened underneath. */
  cause?: unknown;
  /** Facts a caller may want to read; never secrets, never personal data. */
  details?: Readonly<Record<string, unknown>>;
  /** What the other side said, for a person who decides; never part of the message. */
  words?: ForeignText | null;
}

/** On every error of ours, whichever copy of this package has made it. */
const BRAND: unique symbol = Symbol.for('donor-sync.error');

/** The base of the four kinds; the message names the subject and says what to do next. */
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
 * Why something is refused: the input is not valid, there is no such thing (or it is out of reach), it is not any more
 * as the caller knows it, or the caller may not do it.
 */
export type Refusal = 'invalid' | 'unknown' | 'conflict' | 'forbidden';

/** A person must change something before trying again makes sense. */
export class ConfigurationError extends DonorSyncError {
  readonly kind = 'configuration';
  /** Missing in errors of connector packages that bring an older copy of this class. */
  readonly refusal: Refusal | undefined;

  constructor(
    message: string,
    { refusal = 'invalid', ...facts }: ErrorFacts & { refusal?: Refusal },
  ) {
    super(message, facts);
    this.refusal = refusal;
  }
}

/** It passes with time: try again later. */
export class RetriableError extends DonorSyncError {
  readonly kind = 'retriable';
}

/** This record cannot be handled; the others can. */
export class SkippableError extends DonorSyncError {
  readonly kind = 'skippable';
}

/** The run must stop here. */
export class FatalError extends DonorSyncError {
  readonly kind = 'fatal';
}

/**
 * True for an error of one of the four kinds. A connector package may bring a copy of this one along,
 * whose classes are others: so errors are known by their brand and kind, never by `instanceof`.
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

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What the other side said, of anything that was thrown; null if it said nothing. */
export function wordsOf(error: unknown): ForeignText | null {
  return isDonorSyncError(error) ? error.words : null;
}
