import { describe, expect, it } from 'vitest';
import { integrationSchema } from '../../src/core/integration-settings.ts';
import { silentLog } from '../../src/core/log.ts';
import { createCreditReader } from '../../src/credits/credit-reader.ts';
import type { CreditBalances } from '../../src/partner/credits.ts';
import { PartnerKeyExpired, PartnerKeyRejected } from '../../src/partner/errors.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';

function anIntegration(id: string, apiKey: string) {
  const partner = { baseUrl: 'http://127.0.0.1:4100', apiKey };
  return integrationSchema.parse({ id, name: `The ${id}`, partner, crm: { kind: 'memory' } });
}

const RIVERSIDE = anIntegration('riverside', 'one');
const LAKESIDE = anIntegration('lakeside', 'one');
const HILLTOP = anIntegration('hilltop', 'two');

function balancesOf(count: number): CreditBalances {
  return {
    donors: count,
    enhancements: count,
    exports: count,
    lists: count,
    networks: count,
    searches: count,
  };
}

/** The part of the service that the reader uses. */
interface Service {
  answer(signal?: AbortSignal): Promise<CreditBalances>;
}

/** The test controls the service's responses. */
function openReader() {
  const clock = createFakeClock();
  const asked: string[] = [];
  const service: Service = { answer: () => Promise.resolve(balancesOf(100)) };
  const stopping = new AbortController();
  const reader = createCreditReader({
    clock,
    log: silentLog,
    stopping: stopping.signal,
    async open({ id }) {
      asked.push(id);
      return {
        partner: { readCredits: (signal) => service.answer(signal) },
        close: async () => {},
      };
    },
  });
  return { reader, clock, asked, service, stopping };
}

describe('createCreditReader', () => {
  it('asks once for integrations that share a key', async () => {
    const { reader, asked } = openReader();
    const keys = await reader.read([RIVERSIDE, HILLTOP, LAKESIDE]);
    expect(asked).toEqual(['riverside', 'hilltop']);
    expect(keys).toMatchObject([
      { integrations: ['The riverside', 'The lakeside'], balances: { enhancements: 100 } },
      { integrations: ['The hilltop'], balances: { enhancements: 100 } },
    ]);
  });

  it('asks again after a while, and not before', async () => {
    const { reader, clock, asked, service } = openReader();
    await reader.read([RIVERSIDE]);
    service.answer = () => Promise.resolve(balancesOf(60));
    await clock.advance(29_000);
    expect(await reader.read([RIVERSIDE])).toMatchObject([{ balances: { enhancements: 100 } }]);
    expect(asked).toHaveLength(1);
    await clock.advance(1_000);
    expect(await reader.read([RIVERSIDE])).toMatchObject([
      { balances: { enhancements: 60 }, readAt: '1970-01-01T00:00:30.000Z' },
    ]);
  });

  it('keeps the last balances, and says so, when the service does not answer', async () => {
    const { reader, clock, service } = openReader();
    await reader.read([RIVERSIDE]);
    service.answer = () => Promise.reject(new Error('away'));
    await clock.advance(30_000);
    expect(await reader.read([RIVERSIDE])).toMatchObject([
      {
        balances: { enhancements: 100 },
        readAt: '1970-01-01T00:00:00.000Z',
        trouble: 'unanswered',
      },
    ]);
  });

  it.each([
    ['key_rejected', new PartnerKeyRejected('GET /credits')],
    ['key_expired', new PartnerKeyExpired('GET /credits', null)],
  ])('tells a key that is not accepted from a service that is away: %s', async (trouble, error) => {
    const { reader, clock, service } = openReader();
    service.answer = () => Promise.reject(error);
    expect(await reader.read([RIVERSIDE])).toMatchObject([{ balances: null, trouble }]);
    service.answer = () => Promise.resolve(balancesOf(100));
    await clock.advance(30_000);
    expect(await reader.read([RIVERSIDE])).toMatchObject([{ trouble: null }]);
  });

  it('lets no page wait long for a slow answer, and has it for the next one', async () => {
    const { reader, clock, asked, service } = openReader();
    const slow = Promise.withResolvers<CreditBalances>();
    service.answer = () => slow.promise;
    const first = reader.read([RIVERSIDE]);
    await clock.advance(1_500);
    expect(await first).toMatchObject([{ balances: null, trouble: null }]);
    const second = reader.read([RIVERSIDE]);
    slow.resolve(balancesOf(7));
    expect(await second).toMatchObject([{ balances: { enhancements: 7 } }]);
    expect(asked).toHaveLength(1);
    expect(clock.sleepers()).toBe(0);
  });

  it('lets pages wait for the same question once: the next ones hardly wait', async () => {
    const { reader, clock, service } = openReader();
    service.answer = () => Promise.withResolvers<CreditBalances>().promise;
    const first = reader.read([RIVERSIDE]);
    await clock.advance(1_500);
    await first;
    const second = reader.read([RIVERSIDE]);
    await clock.advance(50);
    expect(await second).toMatchObject([{ balances: null, trouble: null }]);
  });

  it('gives up a service that does not answer when it is to stop', async () => {
    const { reader, clock, service, stopping } = openReader();
    const given = Promise.withResolvers<void>();
    service.answer = (signal) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => {
          given.resolve();
          reject(new Error('given up'));
        });
      });
    const reading = reader.read([RIVERSIDE]);
    await clock.advance(1_500);
    expect(await reading).toMatchObject([{ balances: null }]);
    stopping.abort();
    await given.promise;
  });
});
