import { describe, expect, it } from 'vitest';
import {
  addSample,
  createProgress,
  ratePerSecond,
  type Sample,
} from '../../../../src/interfaces/cli/terminal/progress.ts';
import { aStream } from '../a-terminal.ts';

function aClock() {
  let nowMs = 0;
  return {
    now: () => nowMs,
    advance(ms: number) {
      nowMs += ms;
    },
  };
}

describe('createProgress', () => {
  it('shows count, share, rate, remaining time and the remark in one line', () => {
    const stream = aStream();
    const clock = aClock();
    const progress = createProgress({ stream, clock });
    progress.update('Enhancing', { done: 0, total: 400 });
    clock.advance(10_000);
    progress.update('Enhancing', { done: 120, total: 400, remark: '1,200 credits left' });
    const expected = 'Enhancing: 120 of 400 · 30% · 12/s · about 23 s left · 1,200 credits left\n';
    expect(stream.written()).toContain(expected);
  });

  it('promises no time while nothing moves, or when it is over in a moment', () => {
    const stream = aStream();
    const clock = aClock();
    const progress = createProgress({ stream, clock });
    progress.update('Delivered', { done: 0, total: 400 });
    clock.advance(10_000);
    progress.update('Delivered', { done: 300, total: 400 });
    clock.advance(6_000);
    progress.update('Delivered', { done: 300, total: 400 });
    expect(stream.written()).toMatch(/300 of 400 · 75% · 19\/s\n$/);
    clock.advance(100);
    progress.update('Delivered', { done: 399, total: 400 });
    expect(stream.written()).toMatch(/399 of 400 · 99% · 25\/s\n$/);
  });

  it('updates its lines in place and makes room for others', () => {
    const stream = aStream();
    const clock = aClock();
    const progress = createProgress({ stream, clock });
    progress.update('Reading', { done: 1, total: null });
    clock.advance(200);
    progress.update('Writing', { done: 1, total: 2 });
    progress.interrupt(() => stream.write('a log line\n'));
    progress.stop();
    expect(stream.written()).toBe(
      [
        'Reading: 1\n',
        '\u001b[1A\u001b[0JReading: 1\nWriting: 1 of 2 · 50%\n',
        '\u001b[2A\u001b[0Ja log line\nReading: 1\nWriting: 1 of 2 · 50%\n',
        '\u001b[2A\u001b[0JReading: 1\nWriting: 1 of 2 · 50%\n',
      ].join(''),
    );
  });

  it('is not redrawn for every single thing that is done', () => {
    const stream = aStream();
    const progress = createProgress({ stream, clock: aClock() });
    for (let done = 1; done <= 1000; done += 1) progress.update('Reading', { done, total: null });
    progress.stop();
    progress.stop();
    expect(stream.written()).toBe('Reading: 1\n\u001b[1A\u001b[0JReading: 1,000\n');
  });

  it('fits its lines into the terminal', () => {
    const stream = aStream({ columns: 20, rows: 3 });
    const progress = createProgress({ stream, clock: aClock() });
    for (const label of ['a', 'b', 'c', 'd']) {
      progress.update(label, { done: 1, total: 2, remark: 'a remark that is too long' });
    }
    progress.stop();
    expect(stream.written().split('\u001b[0J').at(-1)).toBe(
      'a: 1 of 2 · 50% · …\nb: 1 of 2 · 50% · …\n',
    );
  });

  it('is silent in a pipe, where others still write', () => {
    const stream = aStream({ isTTY: false });
    const progress = createProgress({ stream, clock: aClock() });
    progress.update('Reading', { done: 1, total: 2 });
    progress.interrupt(() => stream.write('a log line\n'));
    progress.stop();
    expect(stream.written()).toBe('a log line\n');
  });
});

describe('ratePerSecond', () => {
  it('is that of the last half minute, however often it is reported', () => {
    let samples: Sample[] = [];
    for (let atMs = 0; atMs <= 60_000; atMs += 10) {
      const done = atMs <= 30_000 ? 0 : (atMs - 30_000) / 100;
      samples = addSample(samples, { atMs, done });
    }
    expect(ratePerSecond(samples)).toBeCloseTo(10, 1);
    expect(samples.length).toBeLessThanOrEqual(300);
  });

  it('is unknown before there is a second to judge by', () => {
    expect(
      ratePerSecond([
        { atMs: 0, done: 0 },
        { atMs: 900, done: 9 },
      ]),
    ).toBeNull();
    expect(ratePerSecond([])).toBeNull();
  });
});
