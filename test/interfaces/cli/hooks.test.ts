import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { hooksCommand } from '../../../src/interfaces/cli/commands/hooks.ts';
import { aSettingsFile } from './a-settings-file.ts';
import { errorSchema } from './documents.ts';
import { type Ended, runCommand } from './run-command.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'donor-sync-hooks-'));
  const settings = `server: { publicUrl: "https://sync.example.org/" }\n${aSettingsFile({})}`;
  await writeFile(join(folder, 'donor-sync.yaml'), settings);
});
afterEach(() => rm(folder, { recursive: true }));

function hooks(args: string[], env: Record<string, string> = {}): Promise<Ended> {
  const options = { cwd: folder, env: { PARTNER_API_KEY: 'key', ...env } };
  return runCommand(hooksCommand, ['hooks', ...args], options);
}

const hookSchema = z.strictObject({
  integration: z.string(),
  url: z.string(),
  signature: z.string().nullable(),
  secret: z.string().nullable(),
});
const hooksSchema = z.strictObject({
  hooks: z.array(
    z.strictObject({
      integration: z.string(),
      signature: z.string().nullable(),
      createdAt: z.iso.datetime(),
      lastUsedAt: z.iso.datetime().nullable(),
      ignored: z.number(),
    }),
  ),
});

async function readHook(args: string[], env?: Record<string, string>) {
  const { stdout, stderr } = await hooks([...args, '--json'], env);
  expect(stderr).not.toContain('error:');
  return hookSchema.parse(JSON.parse(stdout));
}

async function codeOf(args: string[]): Promise<string> {
  const { stdout, exitCode } = await hooks([...args, '--json']);
  expect(exitCode).toBe(2);
  return errorSchema.parse(JSON.parse(stdout)).error.code;
}

describe('donor-sync hooks', () => {
  it('makes an address, shows that there is one, makes another and ends it', async () => {
    const created = await readHook(['create', 'riverside']);
    expect(created.url).toMatch(/^https:\/\/sync\.example\.org\/hooks\/riverside\/[\w-]{43}$/);
    expect(created).toMatchObject({ signature: null, secret: null });

    const shown = await hooks(['list', '--json']);
    const [view] = hooksSchema.parse(JSON.parse(shown.stdout)).hooks;
    expect(view).toMatchObject({
      integration: 'riverside',
      signature: null,
      lastUsedAt: null,
      ignored: 0,
    });
    const token = created.url.split('/').at(-1) ?? '';
    expect(shown.stdout).not.toContain(token);

    const rotated = await readHook(['rotate', 'riverside']);
    expect(rotated.url).not.toBe(created.url);
    expect((await hooks(['show', 'riverside'])).stdout).toContain('It has not been called yet.');
    expect(await codeOf(['revoke', 'riverside'])).toBe('confirmation_missing');
    expect((await hooks(['list'])).stdout).toContain('riverside');
    expect((await hooks(['revoke', 'riverside', '--yes'])).exitCode).toBe(0);
    expect((await hooks(['list'])).stdout).toContain('No client has a webhook address');
    const none = await hooks(['show', 'riverside', '--json']);
    expect(JSON.parse(none.stdout)).toEqual({ integration: 'riverside', webhook: null, calls: [] });
  });

  it('revokes the address of a client that is not in the settings any more', async () => {
    await readHook(['create', 'riverside']);
    const settings = await readFile(join(folder, 'donor-sync.yaml'), 'utf8');
    await writeFile(join(folder, 'donor-sync.yaml'), settings.replaceAll('riverside', 'harbor'));
    expect((await hooks(['list'])).stdout).toContain('riverside');
    expect((await hooks(['revoke', 'riverside', '--yes'])).exitCode).toBe(0);
    expect(await codeOf(['revoke', 'riverside', '--yes'])).toBe('integration_unknown');
  });

  it('prints the address alone on stdout, for a person who pastes it', async () => {
    const { stdout, stderr } = await hooks(['create', 'riverside']);
    expect(stdout).toMatch(/^https:\S+\n$/);
    expect(stderr).toContain('not be shown again');
  });

  it('makes a secret to sign with, and a new one with each new address', async () => {
    const created = await readHook(['create', 'riverside', '--signature', 'hmac']);
    expect(created).toMatchObject({ signature: 'hmac', secret: expect.stringMatching(/^.{43}$/) });
    const printed = await hooks(['rotate', 'riverside']);
    expect(printed.stdout).toMatch(/^https:\S+\n[\w-]{43}\n$/);
    const rotated = await readHook(['rotate', 'riverside']);
    expect(rotated.signature).toBe('hmac');
    expect(rotated.secret).not.toBe(created.secret);
    const unsigned = await readHook(['rotate', 'riverside', '--signature', 'none']);
    expect(unsigned).toMatchObject({ signature: null, secret: null });
  });

  it('takes the secret of a HubSpot app from the environment, keeps it and never shows it', async () => {
    const env = { APP_SECRET: 'swordfish' };
    const signed = ['--signature', 'hubspot', '--secret-env', 'APP_SECRET'];
    const created = await readHook(['create', 'riverside', ...signed], env);
    expect(created).toMatchObject({ signature: 'hubspot', secret: null });
    const rotated = await readHook(['rotate', 'riverside']);
    expect(rotated).toMatchObject({ signature: 'hubspot', secret: null });
  });

  it('refuses what cannot be, and changes nothing', async () => {
    expect(await codeOf(['create', 'unknown'])).toBe('integration_unknown');
    for (const word of ['rotate', 'revoke']) {
      expect(await codeOf([word, 'riverside'])).toBe('hook_missing');
    }
    expect(await codeOf(['create', 'riverside', '--signature', 'odd'])).toBe('usage');
    expect(await codeOf(['create', 'riverside', '--signature', 'hubspot'])).toBe(
      'hook_secret_missing',
    );
    expect(await codeOf(['create', 'riverside', '--signature', 'hmac', '--secret-env', 'NO'])).toBe(
      'environment_invalid',
    );
    await readHook(['create', 'riverside']);
    expect(await codeOf(['create', 'riverside'])).toBe('hook_exists');
  });
});
