package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// certificate is one line of the list that make-certificates reads: the cluster's tool says who
// gets one, this program only signs. Without an issuer it is an authority that signs itself.
type certificate struct {
	Name    string   `json:"name"`
	Issuer  string   `json:"issuer"`
	User    string   `json:"user"`
	Groups  []string `json:"groups"`
	Hosts   []string `json:"hosts"`
	KeyOnly bool     `json:"keyOnly"`
	parsed  *x509.Certificate
	key     *ecdsa.PrivateKey
}

const validity = 365 * 24 * time.Hour

// makeCertificates reads a JSON list from standard input and writes NAME.crt and NAME.key
// (for a key without certificate NAME.pub and NAME.key) into the working directory.
func makeCertificates() int {
	var wanted []*certificate
	err := json.NewDecoder(os.Stdin).Decode(&wanted)
	made := map[string]*certificate{}
	for _, one := range wanted {
		if err == nil {
			err = one.make(made)
			made[one.Name] = one
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "make-certificates:", err)
		return 1
	}
	return 0
}

func (c *certificate) make(made map[string]*certificate) error {
	var err error
	if c.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		return err
	}
	private, err := x509.MarshalECPrivateKey(c.key)
	if err != nil {
		return err
	}
	if err := c.write(".key", "EC PRIVATE KEY", private); err != nil {
		return err
	}
	if c.KeyOnly {
		public, err := x509.MarshalPKIXPublicKey(&c.key.PublicKey)
		if err != nil {
			return err
		}
		return c.write(".pub", "PUBLIC KEY", public)
	}
	return c.sign(made)
}

func (c *certificate) sign(made map[string]*certificate) error {
	template, err := c.template()
	if err != nil {
		return err
	}
	issuer := &certificate{parsed: template, key: c.key}
	if c.Issuer != "" {
		if issuer = made[c.Issuer]; issuer == nil {
			return fmt.Errorf("%s: its issuer %s must come before it", c.Name, c.Issuer)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, issuer.parsed, &c.key.PublicKey, issuer.key)
	if err != nil {
		return err
	}
	if c.parsed, err = x509.ParseCertificate(der); err != nil {
		return err
	}
	return c.write(".crt", "CERTIFICATE", der)
}

func (c *certificate) template() (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber:          serial,
		Subject:               pkix.Name{CommonName: c.User, Organization: c.Groups},
		NotBefore:             time.Now().Add(-time.Hour), // clocks may be set back a little
		NotAfter:              time.Now().Add(validity),
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth},
	}
	if c.Issuer == "" {
		template.IsCA = true
		template.KeyUsage |= x509.KeyUsageCertSign
		template.ExtKeyUsage = nil
	}
	for _, host := range c.Hosts {
		if address := net.ParseIP(host); address != nil {
			template.IPAddresses = append(template.IPAddresses, address)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	return template, nil
}

func (c *certificate) write(suffix, kind string, der []byte) error {
	block := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	return os.WriteFile(filepath.Clean(c.Name+suffix), block, 0o600)
}
