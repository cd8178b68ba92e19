// Verification of JSON Web Tokens, imported in parts, because bundles contain everything imported. Bundles load this
// module from a file of its own when the first such token arrives.
export { assertStringEquals } from "aws-jwt-verify/assert";
export { JwtBaseError } from "aws-jwt-verify/error";
export { verifyJwtSync } from "aws-jwt-verify/jwt-verifier";
