import { describe, expect, it } from 'vitest';
import { ConfigurationError, FatalError, SkippableError } from '../../../../src/core/errors.ts';
import { createOutput } from '../../../../src/interfaces/cli/terminal/output.ts';
import { aStream } from '../a-terminal.ts';

function anOutput({ isJson = false, isTTY = false, env = {} } = {}) {
  const stdout = aStream({ isTTY });
  const stderr = aStream({ isTTY });
  return { stdout, stderr, output: createOutput({ stdout, stderr, env, isJson }) };
}

describe('createOutput', () => {
  it('writes words to stdout for a person', () => {
    const { output, stdout, stderr } = anOutput();
    output.print('Reading');
    output.finish({ read: 2 }, ({ read }) => output.print(`${read} read`));
    output.note('a remark');
    expect(stdout.written()).toBe('Reading\n2 read\n');
    expect(stderr.written()).toBe('a remark\n');
  });

  it('writes exactly one document to stdout with --json', () => {
    const { output, stdout, stderr } = anOutput({ isJson: true });
    output.print('Reading');
    output.table([{ header: 'A', value: (row: string) => row }], ['x']);
    output.finish({ read: 2 }, () => output.print('never'));
    output.note('a remark');
    expect(JSON.parse(stdout.written())).toEqual({ read: 2 });
    expect(stderr.written()).toBe('a remark\n');
  });

  it('refuses a second answer', () => {
    const { output } = anOutput();
    output.finish({}, () => undefined);
    expect(() => output.finish({}, () => undefined)).toThrow('only one result');
  });

  it('writes an error to stderr, and with --json as the document too', () => {
    const error = new ConfigurationError('no such file', { code: 'lost', details: { path: 'x' } });
    const plain = anOutput();
    expect(plain.output.fail(error)).toBe(2);
    expect(plain.stdout.written()).toBe('');
    expect(plain.stderr.written()).toBe('error: no such file\n');

    const json = anOutput({ isJson: true });
    expect(json.output.fail(error)).toBe(2);
    expect(json.stderr.written()).toBe('error: no such file\n');
    expect(JSON.parse(json.stdout.written())).toEqual({
      error: { code: 'lost', message: 'no such file', details: { path: 'x' } },
    });
  });

  it('adds no second document when something fails after the answer', () => {
    const { output, stdout, stderr } = anOutput({ isJson: true });
    output.finish({ done: true }, () => undefined);
    output.fail(new Error('too late'));
    expect(JSON.parse(stdout.written())).toEqual({ done: true });
    expect(stderr.written()).toContain('too late');
  });

  it('ends with 1 for everything that is not the settings', () => {
    for (const error of [
      new FatalError('stop', { code: 'x' }),
      new SkippableError('skip', { code: 'x' }),
      new TypeError('oops'),
      'a text',
    ]) {
      expect(anOutput().output.fail(error)).toBe(1);
    }
  });

  it('shows where an unexpected error came from only when asked', () => {
    const error = new TypeError('oops');
    const quiet = anOutput();
    quiet.output.fail(error);
    expect(quiet.stderr.written()).not.toContain('output.test.ts');
    const debug = anOutput({ env: { DONOR_SYNC_LOG_LEVEL: 'debug' } });
    debug.output.fail(error);
    expect(debug.stderr.written()).toContain('output.test.ts');
  });

  it('colours on a terminal, but neither in a pipe nor against NO_COLOR', () => {
    const colored = anOutput({ isTTY: true });
    colored.output.print(colored.output.style.bad('x'));
    expect(colored.stdout.written()).toBe('\u001b[31mx\u001b[39m\n');
    expect(anOutput().output.style.bad('x')).toBe('x');
    const plain = anOutput({ isTTY: true, env: { NO_COLOR: '1' } });
    expect(plain.output.style.bad('x')).toBe('x');
  });

  it('lets nothing from outside act on the terminal, not even with our own colours', () => {
    const { output, stdout, stderr } = anOutput({ isTTY: true });
    const nasty = 'a\u001b[31mb\u001b[39m\u001b]52;c;aGk=\u0007\u009b2J\u202ec\u2069\r\nd';
    output.print(`${output.style.bad(nasty)}!`);
    output.table([{ header: 'A\u001b[2J', value: (row: string) => row }], [nasty]);
    output.note(nasty);
    output.fail(new ConfigurationError(nasty, { code: 'x' }));
    expect(stdout.written()).toBe(
      '\u001b[31mabc\nd\u001b[39m!\n\u001b[2mA    \u001b[22m\nabc d\n'.replace('A    ', 'A'),
    );
    expect(stderr.written()).toBe('abc\nd\n\u001b[31merror:\u001b[39m abc\nd\n');
  });

  it('escapes in JSON what acts on a terminal, and changes no value', () => {
    const { output, stdout } = anOutput({ isJson: true });
    const document = { id: '\u001b]0;x\u0007\u009b2J\u202e\u2066\u200f\ud800\u{e0041}né' };
    output.finish(document, () => undefined);
    expect(stdout.written()).toMatch(/^[\n -~é]+$/);
    expect(JSON.parse(stdout.written())).toEqual(document);
  });
});
