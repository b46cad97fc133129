/** What the scripts of packages bring into the pages, as far as ours use it. */
declare const Papa: {
  parse(
    text: string,
    options: { preview?: number; skipEmptyLines?: boolean },
  ): { data: string[][] };
};
