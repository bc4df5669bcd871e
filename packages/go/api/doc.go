// Package api has the documents of mockbroker's HTTP API.
//
// The types of types.go are generated from its OpenAPI document. A document is what a request sends, a view
// is what an answer contains.
package api
