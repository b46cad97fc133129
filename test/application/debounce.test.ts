import { describe, expect, it } from 'vitest';
import { createDebounce, type Debounce } from '../../src/application/runner.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';

const START = 1_700_000_000_000;

type Request = Parameters<Debounce['mayBegin']>[0];

function webhook(requestedAt: number, id = 'riverside'): Request {
  return { integrationId: id, trigger: 'webhook', requestedAt: requestedAt };
}

describe('the debounce of webhooks', () => {
  it('lets the first one begin at once and combines the rest of its burst', async () => {
    const clock = createFakeClock(START);
    const debounce = createDebounce(clock);
    expect(debounce.mayBegin(webhook(START))).toBe(true);
    await clock.advance(14_999);
    expect(debounce.mayBegin(webhook(START + 10))).toBe(false);
    await clock.advance(1);
    expect(debounce.mayBegin(webhook(START + 10))).toBe(true);
  });

  it('lets everything begin that has waited, one run after another', async () => {
    const clock = createFakeClock(START);
    const debounce = createDebounce(clock);
    debounce.mayBegin(webhook(START));
    await clock.advance(20_000);
    expect(debounce.mayBegin(webhook(START + 10))).toBe(true);
    await clock.advance(5);
    expect(debounce.mayBegin(webhook(START + 9_000))).toBe(true);
    expect(debounce.mayBegin(webhook(START + 20_001))).toBe(false);
  });

  it('lets the first call of a quiet integration begin at once, however short ago a run began', async () => {
    const clock = createFakeClock(START);
    const debounce = createDebounce(clock);
    debounce.note('riverside');
    expect(debounce.mayBegin(webhook(clock.now()))).toBe(true);
    await clock.advance(1_000);
    debounce.note('riverside');
    const second = webhook(clock.now());
    expect(debounce.mayBegin(second)).toBe(false);
    await clock.advance(14_000);
    expect(debounce.mayBegin(second)).toBe(true);
    // No call has come for 15 seconds, and the run for the last call began just now.
    await clock.advance(1_000);
    debounce.note('riverside');
    expect(debounce.mayBegin(webhook(clock.now()))).toBe(true);
    await clock.advance(1_000);
    debounce.note('riverside');
    expect(debounce.mayBegin(webhook(clock.now()))).toBe(false);
  });

  it('works after the clock was set back as it did before', async () => {
    const clock = createFakeClock(START);
    const debounce = createDebounce(clock);
    debounce.mayBegin(webhook(START));
    await clock.advance(-86_400_000);
    debounce.mayBegin(webhook(START - 86_400_000));
    expect(debounce.mayBegin(webhook(START - 86_399_990))).toBe(false);
    await clock.advance(15_000);
    expect(debounce.mayBegin(webhook(START - 86_399_990))).toBe(true);
  });

  it('delays no other request: of other integrations, people, schedules', () => {
    const debounce = createDebounce(createFakeClock(START));
    debounce.mayBegin(webhook(START));
    expect(debounce.mayBegin(webhook(START + 1, 'hillside'))).toBe(true);
    for (const trigger of ['manual', 'schedule'] as const) {
      expect(debounce.mayBegin({ ...webhook(START + 1), trigger })).toBe(true);
    }
  });
});
