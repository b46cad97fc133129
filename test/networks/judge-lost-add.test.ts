import { describe, expect, it } from 'vitest';
import { judgeLostAdd } from '../../src/networks/settle-adds.ts';

describe('judgeLostAdd', () => {
  it('lets everybody be added again when nothing was charged', () => {
    const ends = judgeLostAdd(0, new Map([['a', 'elsewhere']]));
    expect([...ends]).toEqual([['a', { kind: 'unpaid' }]]);
  });

  it('takes for paid who is in the network, and waits for the others whose credits are gone', () => {
    const places = new Map([
      ['a', 'member'],
      ['b', 'elsewhere'],
      ['c', 'unknown'],
    ] as const);
    expect([...judgeLostAdd(2, places)]).toEqual([
      ['a', { kind: 'added' }],
      ['c', { kind: 'not_found' }],
    ]);
  });

  it('lets the rest of a batch that was cut short be added again', () => {
    const places = new Map([
      ['a', 'member'],
      ['b', 'elsewhere'],
    ] as const);
    expect(judgeLostAdd(1, places).get('b')).toEqual({ kind: 'unpaid' });
  });
});
