import {
  ConfigurationError,
  type DonorSyncError,
  isDonorSyncError,
  messageOf,
  RetriableError,
} from '../../src/core/errors.ts';

/** Advice for users about failed system calls, by error code. */
const FIXES: Readonly<Record<string, string>> = {
  ENOENT: 'There is no such file or folder; check the path in the settings.',
  ENOTDIR: 'A part of the path is not a folder; check the path in the settings.',
  EISDIR: 'This is a folder; give the path of a file in the settings.',
  EACCES: 'The user that runs donor-sync is not allowed to do this; give it permission.',
  EPERM: 'The user that runs donor-sync is not allowed to do this; give it permission.',
  EROFS: 'The disk is read-only; choose another path in the settings.',
};

/**
 * Creates the error for a failed system call. Returns a ConfigurationError if a user must act, and otherwise a
 * RetriableError, for example for a full disk. The text in `deed` completes the sentence "Cannot …".
 */
export function fileError(deed: string, path: string, cause: unknown): DonorSyncError {
  if (isDonorSyncError(cause)) return cause;
  const code = systemCode(cause);
  const fix = code === null ? undefined : FIXES[code];
  const message = `Cannot ${deed} ${path}: ${fix ?? messageOf(cause)}`;
  const facts = { code: 'csv_file_error', cause, details: { path, systemCode: code } };
  return fix === undefined
    ? new RetriableError(message, facts)
    : new ConfigurationError(message, facts);
}

/**
 * Returns the operating system's error code, for example `ENOENT`. Returns null if the error does not come from a
 * system call.
 */
export function systemCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

/** Creates the error for a file that another program has changed while donor-sync used it. */
export function fileChanged(
  file: string,
  details: Readonly<Record<string, string>>,
): RetriableError {
  return new RetriableError(`${file} was changed while it was read; try again.`, {
    code: 'csv_file_changed',
    details,
  });
}
