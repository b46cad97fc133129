import { describe, expect, it } from 'vitest';
import { parseDockerignore } from '../../scripts/replay-dockerfile/build-context.ts';
import { parseDockerfile } from '../../scripts/replay-dockerfile/dockerfile.ts';

describe('parseDockerfile', () => {
  it('reads stages, without comments and with lines that go on', () => {
    const stages = parseDockerfile(
      [
        '# A comment',
        'FROM one AS build',
        'RUN a \\',
        '  # between',
        '  && b',
        '',
        'FROM two',
      ].join('\n'),
    );
    expect(stages).toEqual([
      {
        name: 'build',
        base: 'one',
        instructions: [
          { kind: 'RUN', text: 'RUN a && b', command: { form: 'shell', line: 'a && b' } },
        ],
      },
      { name: null, base: 'two', instructions: [] },
    ]);
  });

  it('tells a command in words from one for a shell', () => {
    const [stage] = parseDockerfile('FROM one\nCMD ["node", "a b.js"]\nRUN ls [a]');
    expect(stage?.instructions).toMatchObject([
      { command: { form: 'exec', words: ['node', 'a b.js'] } },
      { command: { form: 'shell', line: 'ls [a]' } },
    ]);
  });

  it('reads where COPY takes files from, and whose they are to be', () => {
    const [stage] = parseDockerfile('FROM one\nCOPY --from=build --chown=node:node /a /b ./');
    expect(stage?.instructions).toMatchObject([
      { kind: 'COPY', from: 'build', owner: 'node:node', sources: ['/a', '/b'], target: './' },
    ]);
  });

  it('reads how long a health check may take', () => {
    const [stage] = parseDockerfile('FROM one\nHEALTHCHECK --interval=9s --timeout=5s CMD ["a"]');
    expect(stage?.instructions).toMatchObject([{ command: { words: ['a'] }, timeoutMs: 5_000 }]);
  });

  it.each([
    'ADD https://example.org/a.tgz /',
    'ONBUILD RUN a',
    'COPY --link a b',
    'COPY --parents=true a b',
    'COPY ["a", "b"]',
    'COPY a',
    'RUN --mount=type=cache,target=/root/.npm npm ci',
    'ENV NAME value',
    'ENV PATH=/a:$PATH',
    'HEALTHCHECK NONE',
    'HEALTHCHECK --jitter=1s CMD ["a"]',
    'FROM --platform=linux/amd64 two',
  ])('refuses what it does not know: %s', (line) => {
    expect(() => parseDockerfile(`FROM one\n${line}`)).toThrow(line);
  });

  it('refuses a file without a stage', () => {
    expect(() => parseDockerfile('# nothing')).toThrow('no FROM');
    expect(() => parseDockerfile('RUN a')).toThrow('Before the first FROM');
  });
});

describe('parseDockerignore', () => {
  it('includes only the files that .dockerignore allows', () => {
    const isTaken = parseDockerignore('# why\n*\n!src\n!package.json\n');
    expect(['src', 'package.json', '.env', 'data', 'srcs'].filter(isTaken)).toEqual([
      'src',
      'package.json',
    ]);
  });

  it.each(['src', '*\nsrc', '*\n!src/**', '**/*.md'])('refuses other patterns: %j', (text) => {
    expect(() => parseDockerignore(text)).toThrow('supports only a .dockerignore');
  });
});
