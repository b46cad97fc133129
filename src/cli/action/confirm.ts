import { ConfigurationError } from '../../core/errors.ts';
import type { ProductDeps } from './product.ts';

/**
 * Asks before something is done that is not undone easily. Throws a ConfigurationError (nothing
 * was changed) if the answer is no, or if no person can be asked and `--yes` was not given.
 */
export async function confirmOrStop(
  { stdin, stderr }: Pick<ProductDeps, 'stdin' | 'stderr'>,
  question: string,
  yes: boolean,
): Promise<void> {
  if (yes) return;
  if (!stdin.isTTY || !stderr.isTTY) {
    throw new ConfigurationError(
      `${question} Without a terminal no person can be asked here: add --yes to do it.`,
      { code: 'confirmation_missing' },
    );
  }
  const { createPrompts } = await import('../terminal/asker.ts');
  if (await createPrompts({ input: stdin, output: stderr }).confirm(question)) return;
  throw new ConfigurationError('Nothing was changed.', { code: 'not_confirmed' });
}
