import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { type HttpWorld, openHttpWorld } from './http-world.ts';

const open = closedAfterTest(openHttpWorld);

const startedSchema = z.object({ run: z.object({ id: z.string() }) });

async function runOnce(here: HttpWorld): Promise<void> {
  const reported = new Promise<void>((resolve) => {
    here.runner.onRunEnded(() => resolve());
  });
  const post = { method: 'POST' };
  const started = await here.request('/v1/integrations/riverside/runs', post);
  await here.untilEnded(started.read(startedSchema).run.id);
  await reported;
}

describe('GET /metrics', () => {
  it('counts runs, contacts by reason, calls and credits, and knows the last good run', async () => {
    const world = await open({ service: { credits: 1_000 } });
    await world.addPeople(4);
    world.crm.addContact({ id: 'nameless', firstName: 'Plantedfirst', lastName: null });
    await runOnce(world);
    const { text, headers } = await world.request('/metrics');
    expect(headers.get('content-type')).toContain('text/plain');
    const figureOf = (series: string) =>
      Number(
        text
          .split('\n')
          .find((line) => line.startsWith(`${series} `))
          ?.split(' ')[1],
      );
    const label = 'integration="riverside"';
    expect(figureOf(`donor_sync_runs_total{${label},trigger="manual",status="succeeded"}`)).toBe(1);
    const skipped = 'outcome="skipped",reason="last_name_missing"';
    expect(figureOf(`donor_sync_contacts_total{${label},${skipped}}`)).toBe(1);
    expect(figureOf(`donor_sync_calls_total{${label},to="partner"}`)).toBeGreaterThan(2);
    expect(figureOf(`donor_sync_throttled_calls_total{${label}}`)).toBe(0);
    const spent = figureOf(`donor_sync_credits_spent_total{${label},bucket="enhancements"}`);
    const left = figureOf(`donor_sync_credits_remaining{${label},bucket="enhancements"}`);
    expect([spent, left]).toEqual([4, 996]);
    expect(figureOf(`donor_sync_last_success_age_seconds{${label}}`)).toBeGreaterThanOrEqual(0);
    expect(figureOf(`donor_sync_run_requests{${label}}`)).toBe(0);
    expect(figureOf(`donor_sync_holds{${label},about="contact"}`)).toBeGreaterThanOrEqual(0);
    expect(text).not.toContain('Planted');
    expect(text).not.toContain('nameless');
  });

  it('says how long the queue is, and which host works, for what starts more workers', async () => {
    const world = await open({ isIdle: true });
    const post = { method: 'POST' };
    const asked = Date.now();
    await world.request('/v1/integrations/riverside/runs', post);
    const lease = await world.application.takeLease('harbor');
    const { text } = await world.request('/metrics');
    expect(text).toContain('\ndonor_sync_queue_requests 1\n');
    const [, oldest] = /\ndonor_sync_queue_oldest_seconds ([\d.]+)\n/.exec(text) ?? [];
    expect(Number(oldest)).toBeLessThanOrEqual((Date.now() - asked) / 1_000);
    expect(lease.acquired).toBe(true);
    expect(text).toMatch(/\ndonor_sync_runs_active\{host="[^"]+"\} 1\n/);
  });

  it('has a bounded number of series, whatever callers ask for', async () => {
    const world = await open({ isIdle: true });
    const paths = ['/planted', '/v1/runs/planted', '/hooks/riverside/planted', '/v1/planted'];
    for (const path of paths) {
      for (const method of ['GET', 'POST', 'PURGE']) await world.request(path, { method });
    }
    const { text } = await world.request('/metrics');
    expect(text).toContain('route="/v1/runs/:run"');
    expect(text).toContain('method="other"');
    expect(text).not.toMatch(/planted|PURGE/);
  });
});
