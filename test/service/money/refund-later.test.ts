import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hono } from 'hono';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { PartnerEnv } from '../../../service/context.ts';
import { createCredits } from '../../../service/credits.ts';
import { openDatabase } from '../../../service/database.ts';
import { meterCredits } from '../../../service/metering.ts';
import { openTeams, verify } from '../../../service/operation/index.ts';
import { shareCommits } from '../../../service/shared-commits.ts';

it.each([404, 200])(
  'a charge whose request cannot be ended with %i, because another program locks the file, is refunded without a restart',
  async (status) => {
    const folder = mkdtempSync(join(tmpdir(), 'refund-later-'));
    const file = join(folder, 'service.db');
    const db = openDatabase(file);
    const beside = openDatabase(file, { isClaimed: false });
    onTestFinished(() => {
      for (const one of [beside, db]) one.close();
      rmSync(folder, { recursive: true });
    });
    const clock = Date.now;
    openTeams(db, clock).add('alpha', 10);
    const credits = createCredits(db, clock);
    const endpoints = [
      { method: 'GET', path: /^\/search$/, bucket: 'searches' as const, items: () => 1 },
    ];
    const app = new Hono<PartnerEnv>();
    app.use(async (c, next) => {
      c.set('key', { apiKey: 'key', team: 'alpha', deactivatesOn: null });
      c.set('requestId', 'request');
      await next();
    });
    app.use(
      meterCredits({ credits, commitTogether: shareCommits(db), clock, basePath: '', endpoints }),
    );
    app.get('/search', (c) => {
      expect(credits.balances('alpha').searches).toBe(9);
      beside.exec('begin immediate');
      return c.json({}, status as 200);
    });
    expect((await app.request('/search')).status).toBe(500);
    beside.exec('rollback');
    await vi.waitFor(() => expect(credits.balances('alpha').searches).toBe(10), { timeout: 5_000 });
    expect(verify(db, clock)).toEqual([]);
  },
);
