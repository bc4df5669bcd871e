// Writes types/api.d.ts from the OpenAPI document of a mockbroker, and types/assertions.d.ts from
// its list of assertions. `npm run types` calls it; an argument names another folder.
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";
import { Cluster } from "./src/index.js";

const HEAD = "// Made by `npm run types` from the HTTP API of mockbroker.\n\n";
const SCHEMAS =
  '\n/** The documents of the API by name. */\nexport type Schemas = components["schemas"];\n';
const OF_THE_LIVE_PAGE = /^\/api\/v1\/(views|pictures|changes|session)\b/;
const KINDS = { text: "string", integer: "number", flag: "boolean", texts: "string[]" };

/** Drop what the live page uses, and the problems of each endpoint, which are all alike. */
function withoutPageAndProblems(document) {
  const paths = {};
  for (const [name, operations] of Object.entries(document.paths)) {
    if ((name.startsWith("/api/v1/") && !OF_THE_LIVE_PAGE.test(name)) || name === "/version") {
      paths[name] = operations;
    }
    for (const operation of Object.values(operations)) {
      delete operation.operationId; // without it, types of an operation stay in its path
      const answers = Object.entries(operation.responses);
      operation.responses = Object.fromEntries(answers.filter(([status]) => status < "300"));
    }
  }
  return { ...document, paths };
}

function assertionTypes(assertions) {
  const rows = assertions.map(({ name, about, arguments: each }) => {
    const word = name.replace(/^assert_/, "").replaceAll("_", "-");
    const fields = each.map(
      ({ name, kind, about, is_required: isRequired }) =>
        `    /** ${about} */\n    ${name}${isRequired ? "" : "?"}: ${KINDS[kind]};\n`,
    );
    return `  /** ${about} */\n  "${word}": {\n${fields.join("")}  };\n`;
  });
  const opening =
    "/** The assertions by name, with their arguments. */\nexport interface Assertions {\n";
  return `${HEAD}${opening}${rows.join("")}}\n`;
}

const folder = process.argv[2] ?? fileURLToPath(new URL("types", import.meta.url));
const cluster = await Cluster.start();
try {
  const document = await cluster.request("GET", "/api/v1/openapi.json");
  const { assertions } = await cluster.request("GET", "/api/v1/assertions");
  const options = { defaultNonNullable: false, emptyObjectsUnknown: true };
  const types = await openapiTS(withoutPageAndProblems(document), options);
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, "api.d.ts"), HEAD + astToString(types) + SCHEMAS);
  await writeFile(path.join(folder, "assertions.d.ts"), assertionTypes(assertions));
} finally {
  await cluster.stop();
}
