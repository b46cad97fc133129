import { describe, expect, it } from 'vitest';
import { RetriableError } from '../../../src/core/errors.ts';
import {
  type Attempts,
  countWhile,
  createAttempts,
  createSharedAttempts,
  PASSWORDS_OF_ADDRESS,
  PASSWORDS_OF_ONE,
} from '../../../src/interfaces/api/sign-in/attempts.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { createFakeClock } from '../../helpers/fake-clock.ts';
import { openHttpWorld } from './http-world.ts';

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

const open = closedAfterTest(openHttpWorld);

describe('attempts with wrong passwords', () => {
  const ACCOUNT = { what: 'password_pair', limit: PASSWORDS_OF_ONE } as const;
  const FROM = { what: 'password_address', limit: PASSWORDS_OF_ADDRESS } as const;

  it('are counted by two processes as by one, and name no address in the database', async () => {
    const clock = createFakeClock(Date.now());
    const world = await open({ isIdle: true, clock });
    const { store } = world.application;
    const reached: string[] = [];
    const here = createSharedAttempts(store, clock, FROM, (key) => reached.push(key));
    const there = createSharedAttempts(store, clock, FROM, (key) => reached.push(key));
    for (let attempt = 0; attempt < 10; attempt += 1) {
      await here.count(ADDRESS);
      await there.count(ADDRESS);
    }
    expect(reached).toEqual([ADDRESS]);
    for (const attempts of [here, there]) {
      await expect(attempts.count(ADDRESS)).rejects.toMatchObject({
        ...{ status: 429, code: 'too_many_attempts', headers: { 'Retry-After': '60' } },
      });
      await attempts.count('192.0.2.8');
    }
    expect(await world.files()).not.toContainEqual(expect.stringContaining(ADDRESS));
    await clock.advance(60_000);
    await there.count(ADDRESS);
  });

  it('are counted by the address and the account, or by neither', async () => {
    const clock = createFakeClock(Date.now());
    const { application } = await open({ isIdle: true, clock });
    const byAddress = createSharedAttempts(application.store, clock, FROM);
    const byAccount = createSharedAttempts(application.store, clock, ACCOUNT);
    let looks = 0;
    const look = async () => {
      looks += 1;
    };
    for (let attempt = 0; attempt < 10; attempt += 1) await byAccount.count('anna');
    for (let attempt = 0; attempt < 30; attempt += 1) {
      const both = [[byAddress, ADDRESS] as const, [byAccount, 'anna'] as const];
      await expect(countWhile(both, look)).rejects.toMatchObject({ status: 429 });
    }
    await countWhile([[byAddress, ADDRESS] as const, [byAccount, 'ben'] as const], look);
    expect(looks).toBe(1);
  });

  it('are none where they could not be looked at', async () => {
    const clock = createFakeClock(Date.now());
    const { application } = await open({ isIdle: true, clock });
    const byAccount = createSharedAttempts(application.store, clock, ACCOUNT);
    const busy = () => Promise.reject(new RetriableError('Busy.', { code: 'sign_in_busy' }));
    for (let attempt = 0; attempt < 20; attempt += 1) {
      await expect(countWhile([[byAccount, 'anna']], busy)).rejects.toThrow('Busy.');
    }
    for (let attempt = 0; attempt < 10; attempt += 1) await byAccount.count('anna');
    await expect(byAccount.count('anna')).rejects.toMatchObject({ status: 429 });
  });
});
