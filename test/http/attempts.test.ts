import { describe, expect, it } from 'vitest';
import { type Attempts, createAttempts } from '../../src/http/attempts.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';

const ADDRESS = '192.0.2.7';

function failUntilRefused(attempts: Attempts): void {
  for (let failure = 0; failure < 20; failure += 1) {
    attempts.requireAllowed(ADDRESS);
    attempts.noteFailure(ADDRESS);
  }
}

describe('attempts with wrong tokens', () => {
  it('end for a minute after twenty, for this address alone', async () => {
    const clock = createFakeClock(1_700_000_000_000);
    const attempts = createAttempts(clock);
    failUntilRefused(attempts);
    expect(() => attempts.requireAllowed(ADDRESS)).toThrow('Too many wrong tokens');
    expect(() => attempts.requireAllowed('192.0.2.8')).not.toThrow();
    await clock.advance(60_000);
    expect(() => attempts.requireAllowed(ADDRESS)).not.toThrow();
  });

  it('are not refused for as long as a clock was set back', async () => {
    const clock = createFakeClock(1_700_000_000_000);
    const attempts = createAttempts(clock);
    failUntilRefused(attempts);
    await clock.advance(-86_400_000);
    expect(() => attempts.requireAllowed(ADDRESS)).not.toThrow();
  });
});
