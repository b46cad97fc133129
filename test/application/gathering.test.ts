import { describe, expect, it } from 'vitest';
import { createGathering, type Gathering } from '../../src/application/gathering.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';

const START = 1_700_000_000_000;

type Request = Parameters<Gathering['mayBegin']>[0];

function webhook(requestedAt: number, id = 'riverside'): Request {
  return { integrationId: id, trigger: 'webhook', requestedAt: requestedAt };
}

describe('the gathering of webhooks', () => {
  it('lets the first one begin at once and gathers the rest of its burst', async () => {
    const clock = createFakeClock(START);
    const gathering = createGathering(clock);
    expect(gathering.mayBegin(webhook(START))).toBe(true);
    await clock.advance(14_999);
    expect(gathering.mayBegin(webhook(START + 10))).toBe(false);
    await clock.advance(1);
    expect(gathering.mayBegin(webhook(START + 10))).toBe(true);
  });

  it('lets everything begin that was gathered, one run after another', async () => {
    const clock = createFakeClock(START);
    const gathering = createGathering(clock);
    gathering.mayBegin(webhook(START));
    await clock.advance(20_000);
    expect(gathering.mayBegin(webhook(START + 10))).toBe(true);
    await clock.advance(5);
    expect(gathering.mayBegin(webhook(START + 9_000))).toBe(true);
    expect(gathering.mayBegin(webhook(START + 20_001))).toBe(false);
  });

  it('gathers after the clock was set back as it did before', async () => {
    const clock = createFakeClock(START);
    const gathering = createGathering(clock);
    gathering.mayBegin(webhook(START));
    await clock.advance(-86_400_000);
    gathering.mayBegin(webhook(START - 86_400_000));
    expect(gathering.mayBegin(webhook(START - 86_399_990))).toBe(false);
    await clock.advance(15_000);
    expect(gathering.mayBegin(webhook(START - 86_399_990))).toBe(true);
  });

  it('holds up nobody else: other integrations, people, schedules', () => {
    const gathering = createGathering(createFakeClock(START));
    gathering.mayBegin(webhook(START));
    expect(gathering.mayBegin(webhook(START + 1, 'hillside'))).toBe(true);
    for (const trigger of ['manual', 'schedule'] as const) {
      expect(gathering.mayBegin({ ...webhook(START + 1), trigger })).toBe(true);
    }
  });
});
