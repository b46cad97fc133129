import { describe, expect, it } from 'vitest';
import { withArticle } from '../../src/paths/sentence.ts';

describe('withArticle', () => {
  it.each([
    ["Riverside Women's Shelter", "the Riverside Women's Shelter"],
    ['American Red Cross', 'the American Red Cross'],
    ['West Langdale Veterans Fund', 'the West Langdale Veterans Fund'],
    ['Museum of Modern Art', 'the Museum of Modern Art'],
    ['Boys and Girls Club of Dallas', 'the Boys and Girls Club of Dallas'],
    ['Council on Foundations', 'the Council on Foundations'],
    ['The Carter Center', 'The Carter Center'],
    ['Riverside Food Bank', 'Riverside Food Bank'],
    ['Habitat for Humanity', 'Habitat for Humanity'],
    ['Hill  Hospice', 'Hill Hospice'],
  ])('writes of the nonprofit %s as a person would', (name, written) => {
    expect(withArticle(name, 'nonprofit')).toBe(written);
  });

  it.each([
    ['company', 'Vanguard Trust', 'Vanguard Trust'],
    ['company', 'U.S. Bank', 'U.S. Bank'],
    ['school', 'Hestmoor Institute', 'Hestmoor Institute'],
    ['school', 'University of Utah', 'the University of Utah'],
    [null, 'U.S. Senate', 'the U.S. Senate'],
    ['of a new kind', 'Ford Foundation', 'the Ford Foundation'],
  ])('knows that a %s may bear a plain name (%s)', (kind, name, written) => {
    expect(withArticle(name, kind)).toBe(written);
  });
});
