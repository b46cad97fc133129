import { describe, expect, it } from 'vitest';
import { createLog, createLogStream } from '../../../../src/interfaces/cli/terminal/log.ts';
import { ACTING, ACTS } from '../../../helpers/acting.ts';
import { aStream } from '../a-terminal.ts';

describe('createLog', () => {
  it('never writes a secret that was logged by mistake', async () => {
    const stderr = aStream({ isTTY: false });
    const log = createLog('debug', createLogStream(stderr, false));
    log.info(
      { apiKey: 's3cret', partner: { apiKey: 's3cret' }, crm: { auth: { token: 's3cret' } } },
      'hi',
    );
    await new Promise((resolve) => setImmediate(resolve));
    expect(stderr.written()).toContain('"msg":"hi"');
    expect(stderr.written()).not.toContain('s3cret');
  });

  it.each([true, false])(
    'writes no control characters that a terminal would execute (terminal: %s)',
    async (isTTY) => {
      const stderr = aStream({ isTTY });
      const log = createLog('warn', createLogStream(stderr, false));
      log.warn(
        { contact: `c${ACTS}1`, names: [ACTS], error: `No${ACTS}\nerror: forged` },
        `a${ACTS}b`,
      );
      await new Promise((resolve) => setImmediate(resolve));
      expect(stderr.written()).not.toMatch(ACTING);
      expect(stderr.written().split('\n')).toHaveLength(2);
      if (!isTTY) expect(JSON.parse(stderr.written())).toMatchObject({ contact: `c${ACTS}1` });
      else expect(stderr.written()).toContain('warning: ab (contact=c1, ');
    },
  );

  it('speaks in words on a terminal, and lets progress bars step aside', async () => {
    const stderr = aStream();
    const stream = createLogStream(stderr, false);
    const log = createLog('warn', stream);
    const stepBack = stream.stepAside((write) => {
      stderr.write('[');
      write();
      stderr.write(']');
    });
    log.info({}, 'not said');
    log.warn({ attempt: 1, endpoint: 'GET /credits' }, 'tried again');
    stepBack();
    log.error({}, 'gone');
    await new Promise((resolve) => setImmediate(resolve));
    expect(stderr.written()).toBe(
      '[warning: tried again (attempt=1, endpoint=GET /credits)\n]error: gone\n',
    );
  });
});
