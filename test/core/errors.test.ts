import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import {
  ConfigurationError,
  isConfigurationError,
  isDonorSyncError,
  isFatalError,
  isRetriableError,
  RetriableError,
} from '../../src/core/errors.ts';
import { describeFailure } from '../../src/interfaces/cli/terminal/output.ts';

/**
 * Throws an error from a second copy of the module. A connector package with its own copy of donor-sync throws the same
 * kind of error.
 */
async function makeError(): Promise<unknown> {
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-errors-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'errors.ts');
  await copyFile(join(import.meta.dirname, '../../src/core/errors.ts'), path);
  const copy: unknown = await import(pathToFileURL(path).href);
  const { ConfigurationError: Foreign } = z
    .object({ ConfigurationError: z.custom<typeof ConfigurationError>() })
    .parse(copy);
  return new Foreign('The ledger is closed. Open it.', { code: 'ledger_closed' });
}

describe('errors of a copy of donor-sync', () => {
  it('are of the same kind, although their classes are others', async () => {
    const error = await makeError();
    expect(error).not.toBeInstanceOf(ConfigurationError);
    expect(isDonorSyncError(error)).toBe(true);
    expect(isConfigurationError(error)).toBe(true);
    expect(isRetriableError(error)).toBe(false);
    expect(isFatalError(error)).toBe(false);
  });

  it('end a command as what they are', async () => {
    expect(describeFailure(await makeError())).toEqual({
      exitCode: 2,
      code: 'ledger_closed',
      message: 'The ledger is closed. Open it.',
      details: {},
    });
  });
});

describe('the kind of an error', () => {
  it('is none for anything else, whatever it looks like', () => {
    const lookalike = { kind: 'configuration', code: 'x', message: 'x' };
    for (const other of [new Error('x'), lookalike, null, undefined, 'configuration']) {
      expect(isDonorSyncError(other)).toBe(false);
      expect(isConfigurationError(other)).toBe(false);
    }
    expect(isRetriableError(new RetriableError('x', { code: 'x' }))).toBe(true);
  });
});
