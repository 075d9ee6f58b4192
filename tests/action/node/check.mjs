// Prints what GitHub's own parser says of actions and workflows: a JSON object for each finding.
import fs from 'node:fs';
import {pathToFileURL} from 'node:url';
import {validate} from '@actions/languageservice';
import {TextDocument} from 'vscode-languageserver-textdocument';

for (const file of process.argv.slice(2)) {
  const document = TextDocument.create(pathToFileURL(file).href, 'yaml', 0, fs.readFileSync(file, 'utf8'));
  for (const found of await validate(document, {}))
    console.log(JSON.stringify({file, line: found.range.start.line + 1, severity: found.severity, message: found.message}));
}
