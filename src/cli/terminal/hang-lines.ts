/** Text of several lines whose second line and all after it begin below the first, in that column. */
export function hangLines(text: string, column: number): string {
  return text.replaceAll('\n', `\n${' '.repeat(column)}`);
}
