import { describe, expect, it } from 'vitest';
import { interpolate } from '../../src/settings/interpolation.ts';

const env = { HOST: 'crm.example', TOKEN: `a$\${b}\${HOST}`, EMPTY: '' };

describe('interpolate', () => {
  it('replaces several variables in one text and names them', () => {
    const result = interpolate(`https://\${HOST}/x?t=\${HOST}`, env);
    expect(result.text).toBe('https://crm.example/x?t=crm.example');
    expect(result).toMatchObject({ variables: ['HOST', 'HOST'], problems: [] });
  });

  it(`leaves $\${ as a plain \${, and a lonely dollar alone`, () => {
    expect(interpolate(`$\${HOST} costs $5 and $HOST`, env)).toEqual({
      text: `\${HOST} costs $5 and $HOST`,
      variables: [],
      problems: [],
    });
  });

  it('does not look into the values of variables', () => {
    expect(interpolate(`\${TOKEN}`, env).text).toBe(env.TOKEN);
  });

  it('names a variable that is unset or empty', () => {
    expect(interpolate(`\${NOWHERE}\${EMPTY}`, env).problems).toEqual([
      'the environment variable NOWHERE is not set',
      'the environment variable EMPTY is empty',
    ]);
  });

  it.each([`\${`, `\${}`, `\${a-b}`, `\${HOST`, `\${ HOST }`])('refuses %s', (text) => {
    expect(interpolate(text, env).problems).toHaveLength(1);
  });
});
