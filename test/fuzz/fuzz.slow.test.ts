import { describe, expect, it } from 'vitest';
import { attack } from '../../bench/scenarios/fuzz/attack.ts';
import { Drop, type Edge } from '../../bench/scenarios/fuzz/edge.ts';
import { fuzzEdges } from '../../bench/scenarios/fuzz.ts';
import { ConfigurationError } from '../../src/core/errors.ts';

/** `npm run bench -- fuzz --inputs 1000000` uses more inputs. */
const INPUTS = 4_000;

describe('input from outside', () => {
  it('never crashes or delays a parser, and is never lost without a message', async () => {
    const { figures, findings } = await fuzzEdges(INPUTS, '1');
    expect(findings).toEqual([]);
    expect(figures.filter(({ kept }) => !kept)).toEqual([]);
  });
});

describe('the fuzz', () => {
  const edgeOf = (read: Edge['read']): Edge => ({ name: 'one', share: 1, examples: ['[1]'], read });

  it('finds a crash, a drop, and an example that is refused', async () => {
    const crash = edgeOf(() => Promise.reject(new TypeError('no property of null')));
    expect((await attack(crash, '1', 1)).findings).toMatchObject([{ kind: 'crash', number: 0 }]);
    const drop = edgeOf(() => {
      throw new Drop('half of it');
    });
    expect((await attack(drop, '1', 1)).findings).toMatchObject([{ kind: 'drop' }]);
    const refusing = edgeOf(() => {
      throw new ConfigurationError('No.', { code: 'no' });
    });
    const verdict = await attack(refusing, '1', 20);
    expect(verdict).toMatchObject({ refused: 19, findings: [{ kind: 'drop', number: 0 }] });
  });

  it('finds a reading that takes longer than a second', async () => {
    const slow = edgeOf(() => new Promise((resolve) => setTimeout(resolve, 1_100)));
    expect((await attack(slow, '1', 1)).findings).toMatchObject([{ kind: 'hang' }]);
  });

  it('draws the same inputs again from the same seed, and others from another', async () => {
    const drawn = async (seed: string) => {
      const texts: string[] = [];
      await attack(
        edgeOf(({ bytes }) => texts.push(bytes.toString('hex'))),
        seed,
        50,
      );
      return texts;
    };
    expect(await drawn('1')).toEqual(await drawn('1'));
    expect(await drawn('1')).not.toEqual(await drawn('2'));
    expect(new Set(await drawn('1')).size).toBeGreaterThan(30);
  });
});
