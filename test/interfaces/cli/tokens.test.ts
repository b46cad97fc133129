import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { tokensCommand } from '../../../src/interfaces/cli/commands/users.ts';
import { aSettingsFile } from './a-settings-file.ts';
import { runCommand } from './run-command.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'donor-sync-tokens-'));
  await writeFile(join(folder, 'donor-sync.yaml'), aSettingsFile({}));
});
afterEach(() => rm(folder, { recursive: true }));

function run(...argv: string[]) {
  return runCommand(tokensCommand, ['tokens', ...argv], {
    cwd: folder,
    env: { PARTNER_API_KEY: 'key' },
  });
}

const createdSchema = z.strictObject({
  token: z.string(),
  id: z.string(),
  name: z.string(),
  role: z.string(),
  integrations: z.array(z.string()).nullable(),
});

async function create(role = 'admin', name = 'Anna') {
  const { stdout } = await run('create', '--role', role, '--name', name, '--json');
  return createdSchema.parse(JSON.parse(stdout));
}

async function list() {
  const { stdout } = await run('list', '--json');
  return z.object({ tokens: z.array(z.record(z.string(), z.unknown())) }).parse(JSON.parse(stdout))
    .tokens;
}

describe('donor-sync tokens', () => {
  it('shows a new token once and keeps only its hash', async () => {
    const { token, id } = await create();
    expect(token).toMatch(/^dst_[\w-]{43}$/);
    expect(await list()).toMatchObject([{ id, name: 'Anna', role: 'admin', lastUsedAt: null }]);
    const files = await Promise.all(
      ['data.db', 'data.db-wal'].map((name) =>
        readFile(join(folder, name), 'latin1').catch(() => ''),
      ),
    );
    const kept = files.join('');
    expect(kept).not.toContain(token);
    expect(kept).toContain(createHash('sha256').update(token).digest('hex'));
  });

  it('prints nothing but the token on stdout, for scripts without JSON', async () => {
    const { stdout, stderr } = await run('create', '--role', 'viewer', '--name', 'monitoring');
    expect(stdout).toMatch(/^dst_[\w-]{43}\n$/);
    expect(stderr).toContain('not be shown again');
  });

  it.each([
    [
      ['--name', 'Anna'],
      '--role is missing. What the caller may do: viewer, reader, decider, admin, owner.',
    ],
    [['--role', 'boss', '--name', 'Anna'], '--role: '],
    [['--role', 'viewer'], '--name'],
    [['--role', 'viewer', '--name', ' '], '--name'],
  ])('wants a role and a name: %j', async (options, hint) => {
    const { exitCode, stderr } = await run('create', ...options);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(hint);
    expect(await list()).toEqual([]);
  });

  it('lists them for a person, with their whole ids', async () => {
    expect((await run('list')).stdout).toContain('There are no access tokens.');
    const { id } = await create('viewer', 'monitoring');
    const { stdout } = await run('list');
    expect(stdout).toContain(id);
    expect(stdout).toMatch(/monitoring +viewer +all .* never/);
  });

  it('limits one to the integrations that it names, and knows no others', async () => {
    const limited = ['--role', 'viewer', '--name', 'portal', '--integrations'];
    const unknown = await run('create', ...limited, 'riverside,harbor');
    expect(unknown).toMatchObject({ exitCode: 2 });
    expect(unknown.stderr).toContain('harbor');
    expect(await run('create', ...limited, 'riverside,')).toMatchObject({ exitCode: 2 });
    await run('create', ...limited, ' riverside');
    expect(await list()).toMatchObject([{ name: 'portal', integrations: ['riverside'] }]);
    expect((await run('list')).stdout).toMatch(/portal +viewer +riverside /);
  });

  it('revokes one of them by its whole id, after a question', async () => {
    const { id } = await create();
    const other = await create('viewer', 'monitoring');
    expect(await run('revoke', id)).toMatchObject({ exitCode: 2 });
    expect(await run('revoke', id.slice(-8), '--yes')).toMatchObject({ exitCode: 2 });
    expect(await list()).toHaveLength(2);
    expect(await run('revoke', id, '--yes')).toMatchObject({ exitCode: 0 });
    expect(await list()).toMatchObject([{ id: other.id }]);
    expect(await run('revoke', id, '--yes')).toMatchObject({ exitCode: 2 });
  });
});
