/** The styles of the page of the API: a file of its own, since pages may not hold any. */
export const docsStyles = `
:root { color-scheme: light dark; --line: #8884; --soft: #8882; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 56rem; margin: 2rem auto; padding: 0 1rem; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); }
details { border-bottom: 1px solid var(--line); padding: 0.5rem 0; }
summary { cursor: pointer; }
code { font: 0.95em ui-monospace, monospace; }
summary code { font-weight: 600; }
table { border-collapse: collapse; width: 100%; margin: 0.5rem 0; }
th, td { text-align: left; vertical-align: top; padding: 0.25rem 0.75rem 0.25rem 0; }
tr + tr { border-top: 1px solid var(--soft); }
pre { background: var(--soft); padding: 0.75rem; overflow: auto; border-radius: 4px; }
`;
